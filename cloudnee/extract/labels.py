"""What a label means and what counts as its value: the small judgements of all labelled forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cloudnee.extract.ontology import Ontology, Relation, folded
from cloudnee.pages.handles import handle_label
from cloudnee.pages.markup import BLANK, links, plain

__all__ = ["Value", "relation_of", "snake_case", "values_of"]

LONGEST_VALUE = 300
_LONGEST_LABEL = 40
_LABEL = re.compile(r"[^\W\d_](?:[\w\s'’&/\-]|\.(?!\w))*")  # run.py names a file
_NUMBERED = re.compile(r"\d{3}")  # "Issue 1204" names a thing
_WORD = re.compile(r"[^\s_\-]+")
_NO_WORD = re.compile(r"[^\w]+")
# Words that open a remark, a part of a text or of a program, and never name a relation.
_REMARKS = """
    todo note notes nb n.b fixme hint hints tip tips warning warnings caution attention important
    danger info example examples e.g eg i.e ie see ps p.s re fwd fw cc bcc q a question questions
    answer answers ok error errors usage output input result results default defaults option options
    argument arguments args kwargs param params parameters return returns raises yields
    attributes deprecated added add changed change fixed fix fixes removed remove bugfix bug feature
    features breaking security unreleased internal improved improvement docs documentation test
    tests chore refactor perf build step steps figure fig image caption table listing chapter
    section part http https ftp mailto file tel www remember reminder update updated edit edited
    first second third finally next then else if but and or so because however also yes no maybe
    a an the by on of to as at for from in into with without under over after before during via per
    including includes like such all any some each every
    not never why what when where who how which today yesterday tomorrow summary conclusion tldr
    tl;dr faq
    here there this that these those i we you he she they it source sources reference references
    footnote action actions agenda attendees discussion decision decisions pro pros con cons idea
    ideas thought thoughts plan draft untitled am pm name names alias aliases date time tag tags id
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january
    february march april may june july august september october november december jan feb mar apr
    jun jul aug sep sept oct nov dec 备注 注意 待办 例如 примітка увага нотатка
"""
_NO_RELATION = frozenset(_REMARKS.split())
_NOTHING = frozenset(
    "- -- – — n/a n.a. na none nil null nan ? ?? ??? tbd tba tbc unknown unsure … ... . 无 未知 "
    "немає невідомо".split()
)
_NO_LONGER = re.compile(
    r"(?:not|no longer|no more|never|formerly|previously|used to|was|were|ex-|until|maybe|perhaps|"
    r"possibly|probably|if|unless|не|більше не|раніше|不|没|沒|以前|曾)(?:\b|(?=[\u4e00-\u9fff]))",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:no|none|nothing)\s", re.IGNORECASE)
_ADDRESS = re.compile(r"(?://|\\)")  # what stands behind the colon of an address or a drive
_SHOWS = re.compile(r"[^\W_]|[^\x00-\xff]")
_PROSE = re.compile(r"[.!?]\s+[A-Z]")
_SEVERAL = re.compile(r"(?:\s|[,;、，&+]|\band\b|\bта\b|\bі\b)*\.?")
_QUOTES = frozenset('“”"')
_MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it is stored, and whether it is written as a link to a thing of its own."""

    text: str
    declared: bool = False


def relation_of(label: str, ontology: Ontology) -> str | None:
    """The relation of a label: the ontology's, else its own words in snake_case; None: no relation.

    Words of its own are one to three, begin with a letter, and are not such as open a remark. A
    label of a phone or an e-mail address is a handle, never a relation.
    """
    if not label or len(label) > 2 * _LONGEST_LABEL:
        return None
    known = ontology.label_relation(label)
    if known is not None:
        return known
    return None if handle_label(label) else _own_relation(label)


@lru_cache(maxsize=4096)
def _own_relation(label: str) -> str | None:
    if len(label) > _LONGEST_LABEL or not _LABEL.fullmatch(label):
        return None
    words = _WORD.findall(folded(label))
    if not 1 <= len(words) <= 3 or words[0] in _NO_RELATION or words[-1].strip(".") in ("todo",):
        return None
    if _NUMBERED.search(words[-1]):
        return None
    if len(words) == 1 and (len(words[0]) < 2 and words[0].isascii()):
        return None
    if any(not any(c.isalnum() for c in word) for word in words):
        return None
    return snake_case(label) or None


@lru_cache(maxsize=4096)
def snake_case(name: str) -> str:
    """A relation's name as it is stored: lower case, `_` between words, letters of any script."""
    return _NO_WORD.sub("_", folded(name).replace("'", "").replace("’", "")).strip("_")


def values_of(
    written: str, relation: Relation, *, known: bool = True, marks: bool = True
) -> Iterator[Value]:
    """The values behind a label: each link where there are only links, else the whole text.

    `known` says that the ontology knows the relation: under a label of its own, running prose is
    no value. Without `marks` the text is taken as it is: YAML has no emphasis.
    """
    if "[[" in written:
        found = links(written)
        if found and _only_links(written, [(link.start, link.end) for link in found]):
            yield from (Value(link.target, declared=True) for link in found)
            return
    text = _trimmed(plain(written) if marks else " ".join(written.split()))
    if _is_value(text, relation) and (known or not _is_prose(text)):
        yield Value(text)


def _only_links(written: str, spans: Sequence[tuple[int, int]]) -> bool:
    between, last = [], 0
    for start, end in spans:
        between.append(written[last:start])
        last = end
    return all(_SEVERAL.fullmatch(part.strip()) for part in (*between, written[last:]))


def _trimmed(text: str) -> str:
    text = text.strip()
    if text[:1] in _QUOTES and text[-1:] in _QUOTES and not _QUOTES.intersection(text[1:-1]):
        text = text[1:-1].strip()
    if text.endswith((".", "。", ";", ",")) and not re.search(r"(?:\.\w{1,3}|\b\w)\.$|\.\.$", text):
        text = text[:-1].rstrip()
    return text


def _is_value(text: str, relation: Relation) -> bool:
    """Whether a text states a value, and states it of today."""
    if not _SHOWS.search(text) or len(text) > LONGEST_VALUE or text.casefold() in _NOTHING:
        return False
    if "{{" in text or "{%" in text or BLANK in text:  # a template's gap, or code left out
        return False
    if text.endswith(("?", "？", ":", "：")) or _ADDRESS.match(text):
        return False
    if relation.name == "has_rule":  # a rule may well say what is not to be done, and when
        return True
    if _NO_LONGER.match(text):
        return False
    return not (bool(relation.labels) and _DENIED.match(text))


def _is_prose(text: str) -> bool:
    return len(text.split()) > _MOST_WORDS or bool(_PROSE.search(text))
