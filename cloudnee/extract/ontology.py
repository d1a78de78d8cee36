"""The ontology: relations with their labels, phrases and laws, and words that expand a question.

Read from YAML: what is shipped, then the user's folder laid over it, relation by relation and key
by key. A bad file is an error that names file, line and key.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cloudnee.errors import BadOntology

if TYPE_CHECKING:
    from cloudnee.extract.ontology_file import OntologyFile

__all__ = ["Ontology", "Relation", "folded", "load_ontology", "shipped_folder"]

SHIPPED = ("base.yaml", "aircon.yaml")
_IMPORTANCE = 0.5
_ALIKE = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")


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
        self.relations: Mapping[str, Relation] = MappingProxyType(dict(relations))
        self.words: Mapping[str, str] = MappingProxyType(dict(words or {}))
        self.region = region
        self._unknown = lru_cache(maxsize=4096)(Relation)

    def relation(self, name: str) -> Relation:
        """A relation by name; one that is not listed has many values and importance 0.5."""
        return self.relations.get(name) or self._unknown(name)

    def label_relation(self, label: str) -> str | None:
        """The relation that a label stands for, whatever its case, spaces and hyphens."""
        return self._labels.get(folded(label))

    @cached_property
    def _labels(self) -> dict[str, str]:
        found = {folded(name): name for name in self.relations}
        for relation in self.relations.values():
            found.update({folded(label): relation.name for label in relation.labels})
        return found

    @cached_property
    def phrases(self) -> list[tuple[str, str]]:
        """(phrase, relation), the longest first."""
        pairs = [(phrase, r.name) for r in self.relations.values() for phrase in r.phrases]
        return sorted(pairs, key=lambda pair: (-len(pair[0]), pair))

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of all that a reading depends on; the same in every process."""
        meaning = {
            "relations": {
                name: {**asdict(relation), "excludes": sorted(relation.excludes)}
                for name, relation in self.relations.items()
            },
            "region": self.region,
        }
        written = json.dumps(meaning, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(written.encode("ascii")).hexdigest()


@lru_cache(maxsize=4096)
def folded(label: str) -> str:
    """A label as it is compared: NFKC, casefold; spaces, underscores and hyphens are one."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", label).casefold())
    return _ALIKE.sub(" ", text).strip()


def shipped_folder() -> Path:
    """The folder of the shipped files: inside an installed package, or beside its source."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "ontology"
    return inside if inside.is_dir() else package.parent / "ontology"


def load_ontology(folder: Path | None = None) -> Ontology:
    """The shipped ontology with the `*.yaml` of `folder` (`audiences.yaml` apart) laid over it.

    Files are taken by name, and what a later one says holds: a label, phrase or word that it
    gives to one relation is no other's any more. Raises `BadOntology` with file, line and key for
    anything that is not of the form.
    """
    from cloudnee.extract.ontology_file import read_file

    files = [shipped_folder() / name for name in SHIPPED]
    return _laid_over([read_file(file) for file in files + _own_files(folder)])


def _own_files(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    if not folder.is_dir():
        raise BadOntology(f"{folder}: there is no such folder of ontology files")
    own = sorted({*folder.glob("*.yaml"), *folder.glob("*.yml")})
    return [file for file in own if file.stem != "audiences" and not file.name.startswith(".")]


def _laid_over(files: Iterable[OntologyFile]) -> Ontology:
    relations: dict[str, Relation] = {}
    words: dict[str, str] = {}
    region: str | None = None
    excluded: list[tuple[Path, str, str, int]] = []
    for read in files:
        _lay_relations(relations, read.relations)
        _lay_words(words, read.words)
        region = read.region or region
        excluded += [(read.file, *told) for told in read.excluded]
    for file, name, other, line in excluded:
        if other not in relations:
            known = ", ".join(sorted(relations))
            problem = f"{name}.excludes: there is no relation {other!r}; there are {known}"
            raise BadOntology(f"{file}: line {line}: {problem}")
    return Ontology(relations, words, region)


def _lay_relations(relations: dict[str, Relation], given: Mapping[str, dict[str, Any]]) -> None:
    """Lay one file's relations over those before it."""
    taken = {
        kind: {folded(text): name for name, body in given.items() for text in body.get(kind, ())}
        for kind in ("labels", "phrases")
    }
    taken["labels"].update({folded(name): name for name in given})
    for name, relation in relations.items():
        relations[name] = replace(
            relation,
            labels=_left(name, relation.labels, taken["labels"]),
            phrases=_left(name, relation.phrases, taken["phrases"]),
        )
    for name, body in given.items():
        before = relations.get(name, Relation(name))
        labels = {folded(label): label for label in (*before.labels, *body.get("labels", ()))}
        relations[name] = replace(before, **{**body, "labels": tuple(labels.values())})
    _lay_excludes(
        relations, {n: body["excludes"] for n, body in given.items() if "excludes" in body}
    )


def _left(name: str, texts: tuple[str, ...], taken: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(text for text in texts if taken.get(folded(text), name) == name)


def _lay_excludes(relations: dict[str, Relation], given: Mapping[str, frozenset[str]]) -> None:
    """Make what excludes excluded in turn; who says anew whom it excludes is let go by the rest."""
    for name, relation in relations.items():
        kept = relation.excludes if name in given else relation.excludes - given.keys()
        by = {other for other, names in given.items() if name in names}
        relations[name] = replace(relation, excludes=kept | by)


def _lay_words(words: dict[str, str], given: Mapping[str, str]) -> None:
    """Lay one file's words over those before it, however these write the same word."""
    from cloudnee.graph.identity import entity_key

    anew = {entity_key(word) for word in given}
    for word in [word for word in words if entity_key(word) in anew]:
        del words[word]
    words.update(given)
