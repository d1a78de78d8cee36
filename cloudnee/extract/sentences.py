"""Sentences that hold a phrase of the ontology, read only where their subject is beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cloudnee.extract.base import ExtractedEdge
from cloudnee.extract.ontology import Ontology
from cloudnee.graph.identity import entity_key
from cloudnee.pages.blocks import plain

__all__ = ["Sentences"]

_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+|(?<=[。！？])")
_DOUBT = re.compile(
    r"\b(?:not|never|no longer|used to|if|unless|whether|might|may|could|would|should|until|"
    r"formerly|previously|once|wants? to|hopes? to|plans? to|going to|will|said|says|told|thinks?|"
    r"asked|maybe|perhaps|was living|were|instead of|neither|nor|without|before|last year|ago)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\s+(?:for|on|since|because|but|and|when|while|who|which|that|with|after|as|so|if|at|by|from|in"
    r" (?:order|case))\b|[,;:(—–]|\s-\s",
    re.IGNORECASE,
)
_LATELY = re.compile(
    r"\s+(?:now|again|from now on|these days|today|currently|only|too|please)$", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"(?:and\s+)?(?:she|he)(?:\s+(?:now|also|still|always|really|usually))?", re.IGNORECASE
)
_FIRST = re.compile(r"i(?:\s+(?:now|also|still|always|really|usually))?", re.IGNORECASE)
_NAME = re.compile(r"(?:(?:Mr|Mrs|Ms|Mdm|Dr)\.?\s+)?[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,3}")
_NO_NAME = frozenset(
    """the this that it we you my her his our there who please these those all some any each every
    one today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december also then she he
    they i and but so no yes new customer""".split()
)
_OTHERS = re.compile(
    r"\b(?:husband|wife|son|daughter|mother|father|mum|dad|brother|sister|uncle|aunt|friend|boss|"
    r"neighbou?r|tenant|landlord|helper|maid|colleague|partner|cousin|child|children|kid|kids|boy|"
    r"girl|man|woman|guy|agent|someone|somebody|they)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_QUOTES = '"“”'
MOST_WORDS = 8


class Sentences:
    """Reads the sentences of one page in order: who "she" is depends on who was named last."""

    def __init__(self, ontology: Ontology, subject: str, *, notes: bool) -> None:
        self.ontology = ontology
        self.subject = subject
        self.key = entity_key(subject)
        self.notes = notes
        self.alone = True  # nobody but the subject was named since the subject was
        self.phrases = [
            (re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE), relation)
            for phrase, relation in ontology.phrases
        ]

    def begin(self) -> None:
        """A heading: who was named above it is forgotten."""
        self.alone = True

    def edges(self, lines: Sequence[tuple[int, str]]) -> Iterator[ExtractedEdge]:
        """The facts in the running text of these (line number, text)."""
        for at, line in lines:
            for sentence in _END.split(line):
                said = plain(sentence)
                yield from self._sentence(said, line, at)
                self._notice(said)

    def _notice(self, said: str) -> None:
        """Note who was named: after another person, "she" may be anybody."""
        if _OTHERS.search(said):
            self.alone = False
            return
        for match in _NAME.finditer(said):
            name = match[0]
            if entity_key(name) == self.key:
                self.alone = True
            elif name.casefold().split()[0] not in _NO_NAME and match.start() > 0:
                self.alone = False

    def _sentence(self, said: str, line: str, at: int) -> Iterator[ExtractedEdge]:
        if not said or said.endswith(("?", "？")) or _DOUBT.search(said):
            return
        for pattern, relation in self.phrases:
            match = pattern.search(said)
            if match is None or sum(said[: match.start()].count(q) for q in _QUOTES) % 2:
                continue
            source = self._source(said[: match.start()].strip(" ,"))
            target = self._target(said[match.end() :])
            if source and target:
                yield ExtractedEdge(source, relation, target, line.strip(), line_number=at)
            return

    def _source(self, before: str) -> str:
        """Who the sentence is about, or "" where that is not plain."""
        if not before:
            return self.subject
        if entity_key(_ARTICLE.sub("", before, count=1)) == self.key:
            return self.subject
        if _PRONOUN.fullmatch(before):
            return self.subject if self.alone else ""
        if _FIRST.fullmatch(before):
            return self.subject if self.notes else ""
        named = _NAME.fullmatch(before)
        return before if named and before.casefold().split()[0] not in _NO_NAME else ""

    def _target(self, after: str) -> str:
        cut = _CLAUSE.search(after)
        value = (after[: cut.start()] if cut else after).strip().rstrip(".!。！ ").strip("\"“”' ")
        value = _ARTICLE.sub("", _LATELY.sub("", value), count=1).strip()
        return value if 1 <= len(value.split()) <= MOST_WORDS and entity_key(value) else ""
