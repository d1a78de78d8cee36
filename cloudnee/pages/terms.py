"""Text as the terms that the text indexes hold and questions ask for.

A term is a folded word (marks of Latin, Greek and Cyrillic letters gone, English endings gone), an
exact identifier (`inv-1041`, `20.04`, `c++`), or, in scripts without spaces, one sign and two.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["content_words", "identifiers", "terms"]

_TOKEN = re.compile(r"[^\s\"“”„«»]+")
_EDGES = ".,;:!?…()[]{}<>'’‘`*_~|\\/\"-–—。、，！？：；（）「」『』【】《》"
_WORD = re.compile(r"[^\W_]+(?:[+#]+(?![^\W_]))?")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_LONGEST = 64

_STOP = """
    a about after all also am an and any are as at be been before being but by can could did
    do does doing for from get gets give given got had has have he her here hers him his how i
    if in into is it its just me more most my no not of on one or our ours out over please s
    shall she should so some such tell than that the their them then there these they this
    those to too up us was we were what when where which while who whom whose why will with
    would you your yours t
"""
STOP_WORDS = frozenset(_STOP.split())


def terms(text: str) -> list[str]:
    """All terms of a text in order, repeats included."""
    found: list[str] = []
    for token in _TOKEN.findall(_nfkc(text)):
        found.extend(_token_terms(token))
    return found


def content_words(text: str) -> list[str]:
    """The words of a question that carry meaning, as written, in order, each once."""
    words = (token.strip(_EDGES) for token in _TOKEN.findall(unicodedata.normalize("NFKC", text)))
    kept = (w for w in words if w and w.casefold().removesuffix("'s") not in STOP_WORDS)
    return list(dict.fromkeys(kept))


def identifiers(text: str) -> list[str]:
    """The exact identifiers of a text: tokens with a sign in them, or a letter beside a digit."""
    found = (_identifier(token) for token in _TOKEN.findall(_nfkc(text)))
    return list(dict.fromkeys(token for token in found if token))


def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=16384)
def _token_terms(token: str) -> tuple[str, ...]:
    found = [_identifier(token)]
    for word in _WORD.findall(token):
        found.extend(_word_terms(_unmarked(word)))
    return tuple(dict.fromkeys(term[:_LONGEST] for term in found if term))


def _identifier(token: str) -> str:
    """The token as an exact identifier, or "" where it is an ordinary word or number."""
    bare = token.strip(_EDGES)
    if len(bare) < 2 or len(bare) > _LONGEST:
        return ""
    bare = bare.removesuffix("'s").removesuffix("’s")
    inner = re.search(r"[^\w\s'’]|_", bare)
    digits = any(c.isdigit() for c in bare)
    mixed = digits and any(c.isalpha() for c in bare)
    if not (mixed or inner):
        return ""
    plain_hyphen = not digits and re.fullmatch(r"[^\W\d_]+(?:[-‐–][^\W\d_]+)+", bare)
    return "" if plain_hyphen or _UNSPACED.search(bare) else bare


def _word_terms(word: str) -> list[str]:
    found: list[str] = []
    last = 0
    for run in _UNSPACED.finditer(word):
        found.append(_stem(word[last : run.start()]))
        found.extend(_pairs(run.group()))
        last = run.end()
    found.append(_stem(word[last:]))
    return found


def _pairs(run: str) -> list[str]:
    return [*run, *(run[i : i + 2] for i in range(len(run) - 1))]


@lru_cache(maxsize=16384)
def _unmarked(word: str) -> str:
    """Without the marks of letters that a reader may leave out; other scripts keep theirs."""
    if word.isascii():
        return word
    kept = []
    base = ""
    for char in unicodedata.normalize("NFD", word):
        if unicodedata.category(char) == "Mn" and base and _accented(base):
            continue
        base = char if unicodedata.category(char)[0] == "L" else base
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def _accented(base: str) -> bool:
    return base < "\u0530"  # Latin, Greek, Cyrillic


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]
    import Stemmer

    return Stemmer.Stemmer("english")
