"""Which extractor a command line means, and what reading would take."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cloudnee.errors import BadInput

if TYPE_CHECKING:
    from cloudnee.extract.base import Extractor

__all__ = ["extractor"]


def extractor(args: Namespace) -> Extractor | None:
    """The extractor of the options, else of the environment; None stands for the rules."""
    name = _given(args, "extractor", "CLOUDNEE_EXTRACTOR") or "rules"
    if name == "rules":
        return None
    if name not in ("llm", "both"):
        raise BadInput(f"CLOUDNEE_EXTRACTOR is {name!r}: rules, llm and both are there")
    if not (find_spec("instructor") and find_spec("openai")):
        raise BadInput(f'--extractor {name} needs two libraries: pip install "cloudnee[llm]"')
    from cloudnee.extract.calls import Budget, settings_from
    from cloudnee.extract.combined import CombinedExtractor
    from cloudnee.extract.llm import LlmExtractor
    from cloudnee.extract.ontology import load_ontology
    from cloudnee.extract.rules import RulesExtractor

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
    ontology = load_ontology(Path(args.ontology) if args.ontology else None)
    budget = Budget(getattr(args, "max_calls", None), getattr(args, "max_tokens", None))
    reader = LlmExtractor(settings, ontology, budget=budget)
    return reader if name == "llm" else CombinedExtractor(RulesExtractor(ontology), reader)


def _given(args: Namespace, name: str, variable: str) -> str | None:
    return getattr(args, name, None) or os.environ.get(variable) or None
