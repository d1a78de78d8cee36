"""What looks like a secret in a text: keys, tokens, passwords, card numbers. Pure.

A page is kept as it is given; whoever may see it reads what stands in it. So a secret is named when
a page comes, and can be hidden before anything is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cloudnee.pages.lines import line_count

__all__ = ["Secret", "redacted", "secrets_in"]

_NAMED = r"(?i:\b(?:password|passwd|passcode|pwd|secret|api[ _-]?key|access[ _-]?token)\b)"
_GIVEN = r"(?:\*\*)?[ \t]{0,3}[:=](?:\*\*)?[ \t]{0,3}"
_VALUE = r"(?=\S{4,200}(?:\s|\Z))(?=[^\s]*[^\sA-Za-z])\S{4,200}"  # a plain word is no password
_PASSWORD = _NAMED + _GIVEN + _VALUE
_BEGIN = r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
_KINDS = (
    (
        "private key",
        _BEGIN + r"[\s\S]{0,8000}?(?:-----END [A-Z ]{0,30}-----|\Z)",
    ),
    ("API key", r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,200}"),
    ("API key", r"\bAKIA[0-9A-Z]{16}\b"),
    ("API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    (
        "token",
        r"\b(?:gh[opsur]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255}|xox[abprs]-[\w-]{10,250})",
    ),
    ("token", r"\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}"),
    ("key", r"\bcn_[A-Za-z0-9_-]{40,60}\b"),
    ("password", _PASSWORD),
)
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_CARD = re.compile(r"(?<![\d.+-])\d(?:[ -]?\d){12,18}(?![\d.-])")
_SIGN = re.compile(r"[:=_-]|\d{4}|AKIA|eyJ|AIza")
_MOST = 20


class Secret(NamedTuple):
    """What looks like a secret: its kind, and where it stands, in characters and by line."""

    kind: str
    start: int
    end: int
    line: int


def secrets_in(text: str) -> list[Secret]:
    """What looks like a secret in a text, in order, none within another; twenty at most."""
    if not _SIGN.search(text):
        return []
    found: list[Secret] = []
    end = 0
    for start, stop, kind in sorted(_spans(text)):
        if start >= end and len(found) < _MOST:
            found.append(Secret(kind, start, stop, line_count(text, 0, start) + 1))
            end = stop
    return found


def redacted(text: str) -> str:
    """The text with a word in place of each secret."""
    for secret in reversed(secrets_in(text)):
        ends = text[secret.start : secret.end].count("\n")  # lines stay where they are
        hidden = f"[{secret.kind} taken out]" + "\n" * ends
        text = text[: secret.start] + hidden + text[secret.end :]
    return text


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), kind
    for match in _CARD.finditer(text):
        digits = [int(char) for char in match.group() if char.isdigit()]
        if len(set(digits)) > 1 and _luhn(digits):
            yield match.start(), match.end(), "card number"


def _luhn(digits: list[int]) -> bool:
    """The check digit of ISO/IEC 7812."""
    doubled = [
        d if i % 2 else (2 * d - 9 if d > 4 else 2 * d) for i, d in enumerate(digits[-2::-1])
    ]
    return (sum(doubled) + digits[-1]) % 10 == 0
