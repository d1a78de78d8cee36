"""Which extractor a command line means, and what reading would take."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cloudnee.errors import BadInput

if TYPE_CHECKING:
    from cloudnee.extract.base import Extractor
    from cloudnee.extract.calls import Endpoint
    from cloudnee.extract.ontology import Ontology
    from cloudnee.extract.rules import RulesExtractor

__all__ = ["Reading", "has_model", "reading"]


class Reading(NamedTuple):
    """What reads pages, and what new facts are held against others with; None where not chosen."""

    extractor: Extractor | None = None
    contradictions: Endpoint | None = None


def reading(args: Namespace) -> Reading:
    """What the options say, else the environment."""
    name = _given(args, "extractor", "CLOUDNEE_EXTRACTOR")
    if name not in (None, "rules", "llm", "both"):
        raise BadInput(f"CLOUDNEE_EXTRACTOR is {name!r}: rules, llm and both are there")
    contradict = getattr(args, "contradictions", None) == "llm"
    if name is None and not contradict:
        return Reading()
    from cloudnee.extract.ontology import load_ontology
    from cloudnee.extract.rules import RulesExtractor

    ontology = load_ontology(Path(args.ontology) if args.ontology else None)
    rules = RulesExtractor(ontology)
    if name == "rules" and not contradict:
        return Reading(rules)
    return _by_model(args, name, rules, ontology, contradict=contradict)


def has_model(args: Namespace) -> bool:
    """Whether the options or the environment name a language model."""
    return _given(args, "llm_model", "CLOUDNEE_LLM_MODEL") is not None


def _by_model(
    args: Namespace,
    name: str | None,
    rules: RulesExtractor,
    ontology: Ontology,
    *,
    contradict: bool,
) -> Reading:
    if not (find_spec("instructor") and find_spec("openai")):
        raise BadInput('a language model needs two libraries: pip install "cloudnee[llm]"')
    from cloudnee.extract.calls import Budget, Endpoint, settings_from
    from cloudnee.extract.combined import CombinedExtractor
    from cloudnee.extract.llm import LlmExtractor

    model = _given(args, "llm_model", "CLOUDNEE_LLM_MODEL")
    address = _given(args, "llm_base_url", "CLOUDNEE_LLM_BASE_URL")
    settings = settings_from(os.environ, model, address)
    given = {
        "most_items": getattr(args, "llm_items", None),
        "timeout": getattr(args, "llm_timeout", None),
    }
    if any(value is not None and not value > 0 for value in given.values()):
        raise BadInput("--llm-items and --llm-timeout must be more than 0")
    settings = replace(settings, **{k: v for k, v in given.items() if v is not None})
    budget = Budget(getattr(args, "max_calls", None), getattr(args, "max_tokens", None))
    endpoint = Endpoint(settings, budget)
    against = endpoint if contradict else None
    if name in (None, "rules"):
        return Reading(rules if name else None, against)
    reader = LlmExtractor(settings, ontology, endpoint=endpoint)
    return Reading(reader if name == "llm" else CombinedExtractor(rules, reader), against)


def _given(args: Namespace, name: str, variable: str) -> str | None:
    return getattr(args, name, None) or os.environ.get(variable) or None
