"""Which extractor reads a page: `rules`, `llm`, or `both`, the rules first and then the model."""

from __future__ import annotations

from typing import Any

from cloudnee.extract.base import Extraction, Extractor
from cloudnee.extract.llm import LlmExtractor
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.rules import RulesExtractor

__all__ = ["CombinedExtractor", "chosen", "model_of"]


class CombinedExtractor:
    """The rules first, then a model for what the rules did not read."""

    name = "both"
    whole_page = True

    def __init__(self, first: Extractor, second: LlmExtractor) -> None:
        self.first = first
        self.second = second

    @property
    def version(self) -> str:
        """What a reading depends on beside the text: both versions."""
        return f"{self.first.version}+{self.second.version}"

    def extract(self, text: str, *, subject: str, path: str, date: Any) -> Extraction:
        """All edges of both, ungrounded: the model reads the text as one chunk."""
        read = self.first.extract(text, subject=subject, path=path, date=date)
        more = self.second.extract(text, subject=subject, path=path, date=date)
        return Extraction([*read.entities, *more.entities], [*read.edges, *more.edges])


def model_of(extractor: Extractor) -> LlmExtractor | None:
    """The language model among what reads, if there is one."""
    last = extractor.second if isinstance(extractor, CombinedExtractor) else extractor
    return last if isinstance(last, LlmExtractor) else None


def chosen(wanted: str | None, given: Extractor, ontology: Ontology) -> tuple[Extractor, str]:
    """The extractor that a page asks for in its front matter, and a warning where it is not there.

    A page without a wish, or with one that can't be met, is read by the one that was given.
    """
    word, model = (wanted or "").strip().casefold(), model_of(given)
    if word in ("", given.name):
        return given, ""
    if word == "rules":
        return RulesExtractor(ontology), ""
    if word == "llm" and model:
        return model, ""
    if word == "both" and model:
        return CombinedExtractor(RulesExtractor(ontology), model), ""
    reason = "no language model is set up" if word in ("llm", "both") else "rules, llm or both"
    return given, f"front matter: extractor: {word!r}: {reason}: read by {given.name}"
