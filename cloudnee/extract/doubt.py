"""What a model says is first doubted: grounding then asks where the rest stands.

A rule reads a phrase it was given; a model may answer with anything. So its target must stand in
the very line it gives as support, its names must be names, and the sentence must state the fact:
not deny, suppose, ask, plan or remember it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cloudnee.extract.base import ExtractedEdge, Extraction
from cloudnee.extract.grounding import Refusal
from cloudnee.graph.identity import entity_key
from cloudnee.pages.terms import terms

__all__ = ["believable"]

_PRONOUNS = frozenset(
    """i you he she it we they me him her us them his hers its their theirs my mine your yours our
    this that these those who someone somebody everyone nobody one there here""".split()
)
_TITLES = "".join(rf"(?<!\b{title}\.)" for title in ("Mr", "Mrs", "Ms", "Mdm", "Dr", "St", "No"))
_SENTENCE = re.compile(rf"(?<=[.!?]){_TITLES}\s+|(?<=[。！？])|[;；]\s*|,?\s+but\s+")
_NEWLINE = re.compile(r"\r\n?|\n")
_UNIT = re.compile(r"\s*(?:[-*+|>#]|\d+[.)]\s|```|~~~)")
_DENIED = re.compile(
    r"\b(?:not|never|no longer|neither|nor|without|cannot|instead of|rather than|refuses?|no)\b"
    r"|n['’]t\b|不|没|沒|\bне\b",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:if|unless|whether|might|could|would|should|maybe|perhaps|possibly|probably|rumou?r|"
    r"used to|formerly|previously|no more|was living|last year|back then|"
    r"plans? to|hopes? to|wants? to|going to|thinking (?:of|about)|considering)\b|如果|以前",
    re.IGNORECASE,
)
_MAY = re.compile(r"\bmay\b(?!\s+\d)")  # the month has a capital
_AGAINST = (
    *("avoid", "ban", "cannot", "declin", "dislik", "exclud", "forbid", "hate", "lack", "never"),
    *("no_", "not_", "refus", "reject", "without"),
)


def believable(
    extraction: Extraction, text: str, about: Iterable[str]
) -> tuple[Extraction, list[Refusal]]:
    """The edges read in `text` that may be grounded, and the others with the reason.

    `about` are names that need not stand in a line: the page's subject and the headings above.
    """
    known = frozenset(entity_key(name) for name in about if name)
    sentences = _sentences(text)
    kept: list[ExtractedEdge] = []
    refused: list[Refusal] = []
    for edge in extraction.edges:
        reason = _doubt(edge, known) or _unstated(edge, sentences)
        if reason:
            told = (edge.source, edge.relation, edge.target, reason, edge.line[:300])
            refused.append(Refusal(*told))
        else:
            kept.append(edge)
    return Extraction(extraction.entities, kept), refused


def _doubt(edge: ExtractedEdge, about: frozenset[str]) -> str:
    if not edge.line.strip():
        return "no line supports it"
    if _is_pronoun(edge.source) or _is_pronoun(edge.target):
        return "a pronoun is no name"
    held = _stands(edge.target, edge.line)
    if not held and entity_key(edge.target) not in about:
        return "its line does not hold the target"
    if not held and not _stands(edge.source, edge.line):
        return "its line holds neither source nor target"
    return ""


def _sentences(text: str) -> list[str]:
    """The sentences of a text; a line that was wrapped is one with the next."""
    units: list[str] = []
    joined = False
    for line in _NEWLINE.split(text):
        if joined and line.strip() and not _UNIT.match(line):
            units[-1] += " " + line
        elif line.strip():
            units.append(line)
        joined = bool(line.strip())
    return [_flat(part) for unit in units for part in _SENTENCE.split(unit) if part.strip()]


def _unstated(edge: ExtractedEdge, sentences: list[str]) -> str:
    """Why the whole sentence, of which the line may be a part, does not state the fact."""
    line = _flat(edge.line)
    name = edge.target if _stands(edge.target, line) else edge.source
    near = [said for said in sentences if line in said or said in line]
    reasons = [_reason(said, edge) for said in near if _stands(name, said)]
    return "" if not reasons or "" in reasons else reasons[0]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _reason(sentence: str, edge: ExtractedEdge) -> str:
    # The names themselves may hold such words: "No Signboard Seafood" is a restaurant.
    said = sentence.replace(edge.target, " ").replace(edge.source, " ")
    if sentence.rstrip().endswith(("?", "？")):
        return "its line asks"
    if _DOUBTED.search(said) or _MAY.search(said):
        return "its line supposes, plans or tells of the past"
    if _DENIED.search(said) and not edge.relation.casefold().startswith(_AGAINST):
        return "its line denies"
    return ""


def _is_pronoun(name: str) -> bool:
    return name.strip().casefold().strip(".,'\"") in _PRONOUNS


def _stands(name: str, text: str) -> bool:
    wanted = terms(name)
    if entity_key(name) in entity_key(text):
        return True
    return bool(wanted) and set(wanted) <= set(terms(text))
