"""Who speaks in the turns of a conversation page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from cloudnee.graph.identity import entity_key
from cloudnee.pages.outline import Outline

__all__ = ["is_assistant", "said_from", "speakers_of"]

_TURN = re.compile(
    r"(?P<bold>\*\*|__)(?P<name>[^*_:\n]{1,60}?)(?:(?P<inside>:)(?:\*\*|__)|(?:\*\*|__))"
    r"[ \t]*(?P<ref>[(\[][^()\[\]\n]{1,60}[)\]])?[ \t]*(?P<after>:?)(?=\s|$)"
)
_BARE = re.compile(r"([^\W\d_][^:*\n]{0,59}?)[ \t]*(?:[(\[][^()\[\]\n]{1,60}[)\]])?[ \t]*:(?=\s)")
_ROLES = frozenset("user assistant human ai system bot agent tool customer caller operator".split())
_ASSISTANTS = frozenset("assistant ai system bot agent tool".split())
_MOST_SPEAKERS = 12


def is_assistant(speaker: str) -> bool:
    """Whether a speaker is the machine of a chat."""
    return entity_key(speaker) in _ASSISTANTS


def said_from(text: str) -> int:
    """Where in the text of a turn the speech begins, behind the speaker's name."""
    found = _TURN.match(text) if text[:2] in ("**", "__") else _BARE.match(text)
    return found.end() if found else 0


def speakers_of(front: Mapping[str, str | tuple[str, ...]], outline: Outline) -> dict[int, str]:
    """block → who speaks there.

    Speakers are those that the front matter lists under `speakers`, the roles of a chat, whoever
    stands in bold before a reference in brackets (`**Gina** (D1:1):`), and bold names that come
    back: in other pages a bold label stands once.
    """
    listed = _listed(front)
    found: dict[int, tuple[str, bool]] = {}
    for number, block in enumerate(outline.blocks):
        if block.kind == "text" and block.depth == 0 and not block.quoted:
            turn = _turn(block.text, listed)
            if turn:
                found[number] = turn
    often = _who_come_back([name for name, sure in found.values() if not sure])
    return {n: name for n, (name, sure) in found.items() if sure or entity_key(name) in often}


def _listed(front: Mapping[str, str | tuple[str, ...]]) -> frozenset[str]:
    value = front.get("speakers") or front.get("participants") or ()
    names = value.split(",") if isinstance(value, str) else value
    return frozenset(entity_key(name) for name in names) | _ROLES


def _turn(text: str, listed: frozenset[str]) -> tuple[str, bool] | None:
    """(speaker, whether that is sure) of a paragraph that has the form of a turn."""
    if ":" not in text:
        return None
    bold = _TURN.match(text) if text[:2] in ("**", "__") else None
    if bold and (bold["inside"] or bold["after"]):
        name = bold["name"].strip()
        return name, bool(bold["ref"]) or entity_key(name) in listed
    bare = None if bold else _BARE.match(text)
    if bare and entity_key(bare[1]) in listed:
        return bare[1].strip(), True
    return None


def _who_come_back(names: list[str]) -> set[str]:
    """The keys of names when a few alternate, each at least twice."""
    counted = Counter(entity_key(name) for name in names)
    if not 2 <= len(counted) <= _MOST_SPEAKERS or min(counted.values()) < 2:
        return set()
    return set(counted)
