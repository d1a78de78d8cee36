"""A question taken apart: taught words expanded, named entities found, what is left to embed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cloudnee.graph.identity import entity_key

__all__ = ["Question", "expanded", "named", "named_spans", "spans"]

_TOKEN = re.compile(r"\S+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_NAMING = re.compile(r"[\"'(\[“‘*_]*(?:[A-ZÀ-ÞĀ-Ž]|\d|[^\W\d_a-zA-Zß-ÿ])")
_ENDS = ".!?;:,。！？；：，"
_ABBREVIATED = 4  # "Mrs." and "St." end no sentence
_POSSESSIVE = re.compile(r"['’]s?(?=\W*$)")
LONGEST_NAME = 6  # words
MOST_WORDS = 400
_LONGEST_RUN = 12  # signs


@dataclass(frozen=True, slots=True)
class Question:
    """A question as recall asks it.

    `text` is as expanded, `rest` is what is left of it without the names: the text to embed.
    `entities` are the row ids of what it names.
    """

    text: str
    rest: str
    entities: frozenset[int] = frozenset()


def spans(text: str) -> tuple[tuple[int, int, str], ...]:
    """(start, end, key) of every run of up to six words, and of signs in unspaced scripts.

    The longest come first at each place; a possessive ending is also tried without it.
    """
    return _spans(text)


@lru_cache(maxsize=64)  # a question is taken apart for words, names, titles and speakers
def _spans(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(_every_span(text))


def _every_span(text: str) -> Iterator[tuple[int, int, str]]:
    tokens = [match.span() for match in _TOKEN.finditer(text)][:MOST_WORDS]
    for i, (start, _) in enumerate(tokens):
        for j in range(min(len(tokens), i + LONGEST_NAME), i, -1):
            end = tokens[j - 1][1]
            yield from _keys(text, start, end)
    for run in _UNSPACED.finditer(text):
        for start in range(run.start(), min(run.end(), run.start() + MOST_WORDS)):
            for end in range(min(run.end(), start + _LONGEST_RUN), start, -1):
                if end - start > 1:
                    yield start, end, entity_key(text[start:end])


def named_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Those of the spans that may be names: they begin and end with a capital, a digit or a sign
    of a script without capitals."""
    tokens = [match.span() for match in _TOKEN.finditer(text)][: 4 * MOST_WORDS]
    named = [bool(_NAMING.match(text, start, end)) for start, end in tokens]
    ends = [text[end - 1] in _ENDS and end - start > _ABBREVIATED for start, end in tokens]
    for i, (start, _) in enumerate(tokens):
        if named[i]:
            last = next((j for j in range(i, i + LONGEST_NAME) if j >= len(ends) or ends[j]), i + 5)
            for j in range(min(len(tokens) - 1, last), i - 1, -1):
                if named[j]:
                    yield from _keys(text, start, tokens[j][1])


def _keys(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    words = text[start:end]
    if key := entity_key(words):
        yield start, end, key
    if "'" in words or "’" in words:
        bare = entity_key(_POSSESSIVE.sub("", words))
        if bare and bare != key:
            yield start, end, bare


def expanded(text: str, words: Mapping[str, str]) -> str:
    """The question with taught words (key → what it stands for) put in their places."""
    found = [(s, e, words[key]) for s, e, key in spans(text) if key in words]
    return _replaced(text, found)


def named(text: str, lookup: Callable[[Iterable[str]], Mapping[str, Sequence[int]]]) -> Question:
    """The entities that the question names in full, longest names first, none inside another.

    `lookup` gives the entities of each key that has any. Where nothing but names is left, all of
    it is embedded.
    """
    found = list(spans(text))
    known = lookup({key for _, _, key in found})
    chosen = _apart([span for span in found if span[2] in known])
    entities = frozenset(entity for _, _, key in chosen for entity in known[key])
    rest = _replaced(text, [(start, end, " ") for start, end, _ in chosen])
    return Question(text, rest if re.search(r"\w", rest) else text, entities)


def _apart(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The longest of overlapping spans."""
    chosen: list[tuple[int, int, str]] = []
    for start, end, key in sorted(found, key=lambda span: span[0] - span[1]):
        if all(end <= s or start >= e for s, e, _ in chosen):
            chosen.append((start, end, key))
    return chosen


def _replaced(text: str, found: list[tuple[int, int, str]]) -> str:
    chosen = _apart(found)
    for start, end, by in sorted(chosen, reverse=True):
        text = text[:start] + by + text[end:]
    return " ".join(text.split())
