"""Who is who: entity keys, handle keys, and which entity a name on a page means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "Candidate",
    "Handle",
    "Settled",
    "conflict",
    "email_key",
    "entity_key",
    "folded_key",
    "handle_keys",
    "handle_kind",
    "looks_like_phone",
    "phone_digits",
    "settle",
]

_AMOUNT = re.compile(r"\$?(\d[\d,]*)(\.\d+)?")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SPACES = re.compile(r"\s+")
_KEPT_PUNCTUATION = frozenset("#%")
_DROPPED_SYMBOLS = frozenset("~`^|=<>¨´¸")
_VARIATION = frozenset("\ufe0e\ufe0f")
_PHONE = re.compile(r"[\d\s()+＋.\-/‐-―]{3,40}")


@lru_cache(maxsize=65536)
def entity_key(name: str) -> str:
    """The key of a name: names with equal keys are one, others never merge by themselves.

    NFKC, casefold, NFKC; punctuation, spaces and controls go, letters, marks, digits and symbols
    of every script stay, and so do `+`, `#`, `%` and a minus before a number. Between two digits a
    separator stays, so that 160.50 and 16,050 are two; grouping commas and, in an amount, a
    leading `$` and a final `.00` go. Empty only for a name that shows nothing.
    """
    if name.isascii() and (letters := name.replace(" ", "")).isalpha():
        return letters.lower()  # most names: the rules below give the same
    folded = _folded(name)
    whole = _AMOUNT.fullmatch(folded)
    if whole:
        fraction = whole[2] or ""
        folded = whole[1] + ("" if fraction == ".00" else fraction)
    folded = _GROUPED.sub("", folded) if "," in folded else folded
    key = "".join(_kept(folded, i) for i in range(len(folded)))
    return key or _shown(folded)


def _folded(name: str) -> str:
    text = unicodedata.normalize("NFKC", name).casefold()
    text = unicodedata.normalize("NFKC", text).replace("i\u0307", "i")
    return _SPACES.sub(" ", text).strip()


def _kept(text: str, i: int) -> str:
    """What of character i belongs to the key: itself, a separator between digits, or nothing."""
    char = text[i]
    if char.isalnum():
        return char
    category = unicodedata.category(char)
    after = i + 1 < len(text) and text[i + 1].isdigit()
    before = i > 0 and text[i - 1].isdigit()
    if category == "Pd" or char == "\u2212":  # every dash is one dash; U+2212 is the minus sign
        minus = after and (i == 0 or not text[i - 1].isalnum())
        return "-" if (before and after) or minus else ""
    if category[0] in "LMN":
        return "" if char in _VARIATION else char
    if char in _KEPT_PUNCTUATION or (category[0] == "S" and char not in _DROPPED_SYMBOLS):
        return char
    return char if before and after and category[0] in "PSZ" else ""


def _shown(folded: str) -> str:
    """The key of a name made of nothing but punctuation: `=` never begins another key."""
    shown = "".join(c for c in folded if unicodedata.category(c)[0] not in "CZ")
    return "=" + shown if shown else ""


def folded_key(key: str) -> str:
    """A key without its marks: what a lookup of `Jose` suggests `José` by."""
    plain = "".join(c for c in unicodedata.normalize("NFD", key) if unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", plain) or key


def looks_like_phone(text: str) -> bool:
    """Whether a handle is written as a phone number: digits and the signs between them."""
    text = text.strip()
    return bool(_PHONE.fullmatch(text)) and len(phone_digits(text)) >= 3


def phone_digits(text: str) -> str:
    """The digits of a phone as ASCII: full-width and other scripts' digits included."""
    return "".join(str(unicodedata.digit(c)) for c in text if c.isdigit() and c.isdecimal())


def email_key(handle: str) -> str:
    """The key of an e-mail address: folded as names are, its signs kept."""
    return _folded(handle)


def handle_kind(handle: str) -> str:
    """What a handle is, from how it is written: "phone", "email" or "name"."""
    if looks_like_phone(handle):
        return "phone"
    return "email" if re.fullmatch(r"[^\s@]+@[^\s@]+", handle.strip()) else "name"


@lru_cache(maxsize=4096)
def handle_keys(handle: str, kind: str, region: str | None) -> tuple[str, ...]:
    """The keys a handle is found by, the one that stands for it first.

    A phone that is valid in its region has two: with the country's code and without.
    """
    if kind == "email":
        return (email_key(handle),)
    if kind != "phone":
        return (entity_key(handle),)
    digits = phone_digits(handle)
    return tuple(dict.fromkeys(k for k in (*_dialled(handle, region), digits) if k))


def _dialled(handle: str, region: str | None) -> tuple[str, ...]:
    import phonenumbers  # 22 ms: only where an alias is written

    plain = unicodedata.normalize("NFKC", handle)
    for text in (plain, "+" + phone_digits(handle)):
        try:
            number = phonenumbers.parse(text, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(number):
            national = phonenumbers.national_significant_number(number)
            return (f"{number.country_code}{national}", national)
    return ()


Handle = tuple[str, str]


class Candidate(NamedTuple):
    """An entity that already bears a name, as the settling of a page sees it.

    `visible` says that a page which all of this page's readers may see names it. `handles` are the
    (kind, key) pairs that such pages gave it, `hidden` those that others did. `word` is its
    `entity:` word.
    """

    id: int
    word: str = ""
    handles: frozenset[Handle] = frozenset()
    visible: bool = True
    hidden: frozenset[Handle] = frozenset()

    @property
    def every(self) -> frozenset[Handle]:
        """All handles, whoever may see them."""
        return self.handles | self.hidden


class Settled(NamedTuple):
    """The entity (row id) that a name means, or None for a new one, and whether it was unclear."""

    entity: int | None
    ambiguous: bool = False


def settle(
    candidates: Sequence[Candidate],
    *,
    handles: frozenset[Handle] = frozenset(),
    word: str = "",
    current: int | None = None,
) -> Settled:
    """Which of the entities of a name a page means.

    Equal names are one, unless the page gives a phone or e-mail and another page gave that name a
    different one of the same kind: mixing two people's files is the worse mistake. A page without
    a handle belongs to the one entity of its name; of several, it keeps the one it had, else apart.
    What only others may read decides nothing where the page's own readers see a candidate.
    """
    seen = [c for c in candidates if c.visible or c.id == current]  # its own it sees itself
    known = {c.id: c.handles for c in seen} or {c.id: c.every for c in candidates}
    if word:
        return Settled(next((c.id for c in candidates if c.word == word), None))
    same = [entity for entity, its in known.items() if its & handles]
    if same:
        return Settled(current if current in same else min(same))
    free = [entity for entity, its in known.items() if not conflict(its, handles)]
    if current in free:
        return Settled(current)
    if len(free) == 1:
        return Settled(free[0])
    return Settled(None, ambiguous=bool(seen) and len(free) > 1)


def conflict(one: frozenset[Handle], two: frozenset[Handle]) -> bool:
    """Whether both hold a handle of one kind and none in common: they are two people's."""
    return bool({kind for kind, _ in one} & {kind for kind, _ in two}) and not one & two
