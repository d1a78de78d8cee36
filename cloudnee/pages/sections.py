"""Whose section a line stands in: the page's subject's, or that of a heading with a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from cloudnee.graph.identity import entity_key, looks_like_phone
from cloudnee.pages.handles import is_titled, phone_lines
from cloudnee.pages.outline import Heading, Outline

__all__ = [
    "can_be_subject",
    "has_parts",
    "named_sections",
    "nameless",
    "owner_of",
    "sharing_siblings",
]

# Words that name a part of a page, or a kind of page, but never what it is about.
_PARTS = """
    about access account address addresses agenda appendix area areas background basics booking
    bookings calls changelog changes checklist complaints conclusion contact contacts contents
    contributing conversation conversations current customer customers data description details
    document draft drafts email emails entries events examples facts family faq feedback files
    finance follow-up followup future general goals guide history home inbox index info information
    installation instructions intro introduction invoices issues job jobs journal key later license
    links list log logs main meeting meetings message messages misc miscellaneous new next note
    notes old open orders other overview page pages past payment payments people personal plan plans
    preference preferences previous price prices pricing private profile public purpose quick
    quote quotes quotation quotations readme record records reference references remarks report
    requests requirements results rules schedule service services session sessions setup status
    steps summary tasks team terms thread timeline title todo todos today tomorrow topics
    transcript unit units untitled update updates usage visit visits warranty week wiki work
    yesterday
    备注 笔记 历史 概述 联系方式 报价 价格 预约 нотатки історія контакти ціни візити примітки
"""
_GENERIC = frozenset(entity_key(word) for word in _PARTS.split())
_MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august "
    "september october november december"
)
_DAYS = "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday"
_CALENDAR = frozenset(f"{_MONTHS} {_DAYS}".split())
_WORD = re.compile(r"[^\W\d_]+")
_SIZE = re.compile(r"(?:q|v|w|p|no|nr|part|step|chapter|unit|day|week|year|page|st|nd|rd|th)")


@lru_cache(maxsize=4096)
def nameless(name: str) -> bool:
    """Whether a name names nothing: a phone, number or date, or words that name parts of pages."""
    if looks_like_phone(name) or not entity_key(name):
        return True
    if entity_key(name) in _GENERIC:
        return True
    words = [word.casefold() for word in _WORD.findall(name)]
    if all(word in _CALENDAR or _SIZE.fullmatch(word) for word in words):
        return True
    numbered = any(char.isdigit() for char in name)
    return numbered and all(entity_key(w) in _GENERIC or w in _CALENDAR for w in words)


def can_be_subject(heading: Heading) -> bool:
    """Whether the lines under a heading may be about what the heading names."""
    return not nameless(heading.text)


def has_parts(outline: Outline) -> bool:
    """Whether a page has more headings than its title."""
    headings = outline.headings
    return len(headings) > 1 or (bool(headings) and headings[0].level > 1)


def named_sections(outline: Outline, name: str) -> dict[int, str]:
    """heading → the name that its lines are about, as far as the form of the page tells.

    Such are a heading with a person's title, a further heading of the first level on a page that
    is named by its first, and siblings of which two or more have a phone or e-mail of their own.
    """
    found: dict[int, str] = {}
    if not has_parts(outline):
        return found
    handled: list[int] = []
    own = entity_key(name)
    tops = [number for number, heading in enumerate(outline.headings) if heading.level == 1]
    by_title = bool(tops) and entity_key(outline.headings[tops[0]].text) == own
    for number, heading in enumerate(outline.headings):
        if number in tops[:1] or not can_be_subject(heading) or own in entity_key(heading.text):
            continue
        if is_titled(heading.text) or (by_title and heading.level == 1):
            found[number] = heading.text
        elif any(True for _ in phone_lines(outline, number)):
            handled.append(number)
    for number in sharing_siblings(outline, handled):
        found[number] = outline.headings[number].text
    return found


def sharing_siblings(outline: Outline, headings: Iterable[int]) -> list[int]:
    """Of these headings, those that have a sibling among them."""
    families: dict[tuple[int, int], list[int]] = {}
    for number in headings:
        heading = outline.headings[number]
        families.setdefault((heading.parent, heading.level), []).append(number)
    return [number for family in families.values() if len(family) > 1 for number in family]


def owner_of(outline: Outline, heading: int, own: Mapping[int, str]) -> str | None:
    """The name of the nearest heading above (itself included) that is a subject; else None."""
    while heading >= 0:
        if heading in own:
            return own[heading]
        heading = outline.headings[heading].parent
    return None
