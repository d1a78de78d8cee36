"""Labels as relations and what stands behind them as values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from cloudnee.extract.ontology import Ontology, Relation
from cloudnee.pages.blocks import WIKI, plain
from cloudnee.pages.page import is_handle_label

__all__ = ["relation_of", "snake_case", "values_of"]

LONGEST_VALUE = 300
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NO_RELATION = frozenset(
    """todo note notes nb fixme hint tip tips warning caution important info example examples eg ie
    see ps re q a question answer args arguments params parameters raises yields deprecated added
    changed fixed removed bugfix feature http https ftp mailto step steps figure fig image caption
    ok error errors and or but so if then else because however also yes no first second third
    finally remember reminder""".split()
)
_NOTHING = frozenset("- – — n/a na none nil null ? ?? tbd tba unknown … ...".split())
_NOT_SO = re.compile(
    r"(?:not|no longer|never|formerly|previously|used to|was|were|ex-|if|unless|maybe|possibly)\b",
    re.IGNORECASE,
)
_LINKS = r"\[\[[^\[\]\n]{1,300}\]\]"
_LINKS_ONLY = re.compile(rf"(?:{_LINKS}(?:\s*(?:,|;|&|and|、)\s*|\s*\.?\s*$))+")


def relation_of(label: str, ontology: Ontology, *, lower: bool = False) -> str | None:
    """The relation a label names: the ontology's, or its own words in snake_case; None: none.

    Own relations have one to three words, begin with a letter and are not among the words that
    introduce prose. With `lower`, they must be written in lower case.
    """
    known = ontology.label_relation(label)
    if known is not None:
        return known
    if is_handle_label(label) or (lower and label != label.casefold()):
        return None
    return _own_relation(label)


@lru_cache(maxsize=4096)
def _own_relation(label: str) -> str | None:
    words = _WORD.findall(label.casefold())
    if not 1 <= len(words) <= 3 or not words[0][0].isalpha() or words[0] in _NO_RELATION:
        return None
    if any(c not in " _-/'’." and not c.isalnum() and not _mark(c) for c in label):
        return None
    return "_".join(words) if len("_".join(words)) <= 40 else None


def _mark(char: str) -> bool:
    import unicodedata

    return unicodedata.category(char)[0] == "M"


def snake_case(name: str) -> str:
    """A relation's name as it is stored: words in lower case with underscores between."""
    return "_".join(_WORD.findall(name.casefold().replace("_", " ")))


def values_of(text: str, law: Relation) -> Iterator[tuple[str, bool]]:
    """(value, is it a link) of each value behind a label; nothing for what is no value."""
    text = text.strip()
    if _LINKS_ONLY.fullmatch(text):
        for match in WIKI.finditer(text):
            if not match[1] and match[2].strip():
                yield match[2].strip(), True
        return
    link = WIKI.search(text)
    value = _clean(plain(text))
    if not value or len(value) > LONGEST_VALUE or value.casefold() in _NOTHING:
        return
    if value.endswith(("?", ":")) or value.startswith(("http://", "https://", "//", "[")):
        return
    if law.functional and _NOT_SO.match(value):
        return
    yield value, bool(link and plain(link[0]) == value)


def _clean(value: str) -> str:
    value = value.strip().strip('“”"').strip()
    if value.endswith(".") and not re.search(r"(?:\.\w{1,3}|\b\w)\.$", value):
        value = value[:-1]
    return value.strip()
