"""The ontology: relations with their labels, phrases and laws, and words that expand a question.

Read from YAML: what is shipped, then the user's folder laid over it, relation by relation and key
by key. A bad file is an error that names file, line and key.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from cloudnee.errors import BadOntology

__all__ = ["Ontology", "Relation", "load_ontology", "shipped_folder"]

SHIPPED = ("base.yaml", "aircon.yaml")
_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation and its laws. `functional`: one target for a source; `inverse_functional`: one
    source for a target; `excludes`: relations that cannot hold between the same two things."""

    name: str
    labels: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    functional: bool = False
    inverse_functional: bool = False
    excludes: frozenset[str] = frozenset()
    importance: float = _IMPORTANCE
    target_type: str | None = None


class Ontology:
    """The relations and words in force."""

    def __init__(
        self,
        relations: Mapping[str, Relation],
        words: Mapping[str, str] | None = None,
        region: str | None = None,
    ) -> None:
        self.relations = dict(relations)
        self.words = dict(words or {})
        self.region = region
        self._unknown = lru_cache(maxsize=4096)(Relation)

    def relation(self, name: str) -> Relation:
        """A relation by name; one that is not listed has many values and importance 0.5."""
        return self.relations.get(name) or self._unknown(name)

    def label_relation(self, label: str) -> str | None:
        """The relation that a label stands for, whatever its case, spaces and hyphens."""
        return self._labels.get(_folded(label))

    @cached_property
    def _labels(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for relation in self.relations.values():
            for label in (relation.name, *relation.labels):
                found.setdefault(_folded(label), relation.name)
        return found

    @cached_property
    def phrases(self) -> list[tuple[str, str]]:
        """(phrase, relation), the longest first."""
        pairs = [(phrase, r.name) for r in self.relations.values() for phrase in r.phrases]
        return sorted(pairs, key=lambda pair: (-len(pair[0]), pair))

    @cached_property
    def digest(self) -> str:
        """Changes when the meaning changes: pages are then read anew."""
        meaning = {
            "relations": [
                {**asdict(relation), "excludes": sorted(relation.excludes)}
                for _, relation in sorted(self.relations.items())
            ],
            "region": self.region,
        }
        written = json.dumps(meaning, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(written.encode("utf-8")).hexdigest()[:16]


@lru_cache(maxsize=4096)
def _folded(label: str) -> str:
    text = unicodedata.normalize("NFKC", label).casefold()
    return " ".join(text.replace("_", " ").replace("-", " ").split())


def shipped_folder() -> Path:
    """The folder of the shipped files: inside an installed package, or beside its source."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "ontology"
    return inside if inside.is_dir() else package.parent / "ontology"


def load_ontology(folder: Path | None = None) -> Ontology:
    """The shipped ontology with the YAML files of `folder` (`audiences.yaml` apart) laid over it.

    Raises `BadOntology` with file, line and key for anything that is not of the form.
    """
    files = [shipped_folder() / name for name in SHIPPED]
    if folder is not None:
        if not folder.is_dir():
            raise BadOntology(f"{folder}: there is no such folder of ontology files")
        own = sorted({*folder.glob("*.yaml"), *folder.glob("*.yml")})
        files += [file for file in own if file.stem != "audiences"]
    return _laid_over(files)


def _laid_over(files: Iterable[Path]) -> Ontology:
    relations: dict[str, Relation] = {}
    words: dict[str, str] = {}
    region: str | None = None
    for file in files:
        read = _File(file)
        for name, given in read.relations():
            before = relations.get(name, Relation(name))
            given["labels"] = tuple(dict.fromkeys(given.get("labels", ()) + before.labels))
            relations[name] = replace(before, **given)
        words.update(read.words())
        region = read.region() or region
        read.check_excluded(relations)
    for relation in list(relations.values()):  # what excludes is excluded in turn
        for other in relation.excludes:
            known = relations[other]
            relations[other] = replace(known, excludes=known.excludes | {relation.name})
    return Ontology(relations, words, region)


class _File:
    """One YAML file, checked as it is read; every fault is told with its line."""

    def __init__(self, file: Path) -> None:
        import yaml

        self.file = file
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            self.root = yaml.compose(file.read_text("utf-8"), loader)
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            mark = getattr(error, "problem_mark", None)
            line = f" line {mark.line + 1}:" if mark is not None else ""
            raise BadOntology(f"{file}:{line} cannot be read as YAML: {error}") from error
        self.excluded: list[tuple[str, Any]] = []

    def fault(self, node: Any, problem: str) -> BadOntology:
        return BadOntology(f"{self.file}: line {node.start_mark.line + 1}: {problem}")

    def mapping(self, node: Any, what: str, allowed: Iterable[str] = ()) -> dict[str, Any]:
        """The keys of a mapping node; a repeated or unknown key is a fault."""
        from yaml.nodes import MappingNode

        if not isinstance(node, MappingNode):
            raise self.fault(node, f"{what} must be a mapping of keys")
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = str(key.value)
            if name in found:
                raise self.fault(key, f"{what}: {name!r} is there twice")
            if allowed and name not in allowed:
                raise self.fault(key, f"{what}: unknown key {name!r}: one of {sorted(allowed)}")
            found[name] = value
        return found

    def scalar(self, node: Any, what: str) -> str:
        from yaml.nodes import ScalarNode

        if not isinstance(node, ScalarNode) or not str(node.value).strip():
            raise self.fault(node, f"{what} must be text")
        return str(node.value).strip()

    def listed(self, node: Any, what: str) -> tuple[str, ...]:
        from yaml.nodes import SequenceNode

        if not isinstance(node, SequenceNode):
            raise self.fault(node, f"{what} must be a list of text")
        return tuple(self.scalar(item, what) for item in node.value)

    @cached_property
    def top(self) -> dict[str, Any]:
        if self.root is None:
            return {}
        return self.mapping(self.root, "the file", ("relations", "words", "region"))

    def relations(self) -> Iterable[tuple[str, dict[str, Any]]]:
        if "relations" not in self.top:
            return
        for name, node in self.mapping(self.top["relations"], "relations").items():
            if not name.replace("_", "").isalnum() or name != name.casefold():
                raise self.fault(node, f"relation {name!r} must be words in lower case with _")
            yield name, self._relation(name, node)

    def _relation(self, name: str, node: Any) -> dict[str, Any]:
        readers: dict[str, Callable[[Any, str], Any]] = {
            "labels": self.listed,
            "phrases": self.listed,
            "functional": self._flag,
            "inverse_functional": self._flag,
            "excludes": self._excludes,
            "importance": self._importance,
            "target_type": self.scalar,
        }
        given = self.mapping(node, name, readers)
        return {key: readers[key](value, f"{name}: {key}") for key, value in given.items()}

    def _flag(self, node: Any, what: str) -> bool:
        value = self.scalar(node, what)
        if value not in ("true", "false"):
            raise self.fault(node, f"{what} must be true or false, not {value!r}")
        return value == "true"

    def _importance(self, node: Any, what: str) -> float:
        value = self.scalar(node, what)
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise self.fault(node, f"{what} must be a number from 0 to 1, not {value!r}")
        return number

    def _excludes(self, node: Any, what: str) -> frozenset[str]:
        names = self.listed(node, what)
        self.excluded += [(name, node) for name in names]
        return frozenset(names)

    def check_excluded(self, relations: Mapping[str, Relation]) -> None:
        for name, node in self.excluded:
            if name not in relations:
                raise self.fault(node, f"excludes: there is no relation {name!r}")

    def words(self) -> dict[str, str]:
        if "words" not in self.top:
            return {}
        named = self.mapping(self.top["words"], "words")
        return {word: self.scalar(node, f"words: {word}") for word, node in named.items()}

    def region(self) -> str | None:
        node = self.top.get("region")
        if node is None:
            return None
        value = self.scalar(node, "region")
        if len(value) != 2 or not value.isalpha():
            raise self.fault(node, f"region must be two letters such as SG, not {value!r}")
        return value.upper()
