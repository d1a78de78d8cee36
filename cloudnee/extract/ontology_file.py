"""One ontology file, read and checked: every fault is told with its file, line and key.

PyYAML's nodes are read, not its values: they know their lines, keep a repeated key, and leave
`no` and `007` as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from cloudnee.errors import BadOntology
from cloudnee.extract.ontology import folded
from cloudnee.graph.identity import entity_key

__all__ = ["OntologyFile", "read_file"]

TOP = ("relations", "words", "region")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NAME = re.compile(r"[^\W_]+(?:_[^\W_]+)*")
_REGION = re.compile(r"[A-Za-z]{2}")


@dataclass(slots=True)
class OntologyFile:
    """What one file says. `relations`: name → the fields given for it, and no others."""

    file: Path
    relations: dict[str, dict[str, Any]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    region: str | None = None
    excluded: list[tuple[str, str, int]] = field(default_factory=list)
    """(relation, what it excludes, line), to be looked up when every file is read."""


def read_file(file: Path) -> OntologyFile:
    """A file's relations, words and region. Raises `BadOntology` for anything not of the form."""
    return _Reader(file).read()


class _Reader:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.found = OntologyFile(file)
        self.claims: dict[tuple[str, str], str] = {}  # (labels or phrases, folded) → its relation

    def read(self) -> OntologyFile:
        root = _composed(self.file)
        top = {} if root is None else self._by_key(root, "the file", TOP)
        if "relations" in top:
            self._relations(top["relations"])
        if "words" in top:
            self._words(top["words"])
        if "region" in top:
            self.found.region = self._region(top["region"])
        return self.found

    def _fault(self, node: yaml.Node, problem: str) -> BadOntology:
        return BadOntology(f"{self.file}: line {_line(node)}: {problem}")

    def _pairs(self, node: yaml.Node, key: str) -> Iterator[tuple[yaml.Node, str, yaml.Node]]:
        """(key node, key, value node) of a mapping; a key that is there twice is a fault."""
        if _is_nothing(node):
            return
        if not isinstance(node, yaml.MappingNode):
            raise self._fault(node, f"{key} must be a mapping of keys, not {_said(node)}")
        seen: dict[str, int] = {}
        for at, value in node.value:
            name = self._text(at, f"a key of {key}")
            if name in seen:
                raise self._fault(at, f"{key}: {name!r} is there twice, first on line {seen[name]}")
            seen[name] = _line(at)
            yield at, name, value

    def _by_key(self, node: yaml.Node, key: str, allowed: Collection[str]) -> dict[str, yaml.Node]:
        found = {}
        for at, name, value in self._pairs(node, key):
            if name not in allowed:
                known = ", ".join(allowed)
                raise self._fault(at, f"{key}: unknown key {name!r}; allowed are {known}")
            found[name] = value
        return found

    def _relations(self, node: yaml.Node) -> None:
        bodies = {}
        for at, name, body in self._pairs(node, "relations"):
            if not _NAME.fullmatch(name) or name != name.casefold():
                form = "must be words in lower case with _ between them, such as lives_in"
                raise self._fault(at, f"relation {name!r} {form}")
            self._claim(at, "labels", name, name)
            bodies[name] = body
        for name, body in bodies.items():
            self.found.relations[name] = self._relation(name, body)

    def _relation(self, name: str, node: yaml.Node) -> dict[str, Any]:
        readers: dict[str, Callable[[yaml.Node, str], Any]] = {
            "labels": self._names,
            "phrases": self._names,
            "functional": self._flag,
            "inverse_functional": self._flag,
            "excludes": self._excludes,
            "importance": self._importance,
            "target_type": self._text,
        }
        given = self._by_key(node, name, readers)
        return {key: readers[key](value, f"{name}.{key}") for key, value in given.items()}

    def _text(self, node: yaml.Node, key: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or _is_nothing(node):
            raise self._fault(node, f"{key} must be text, not {_said(node)}")
        return " ".join(node.value.split())

    def _texts(self, node: yaml.Node, key: str) -> Iterator[tuple[yaml.Node, str]]:
        if not isinstance(node, yaml.SequenceNode):
            raise self._fault(node, f"{key} must be a list such as [one, two], not {_said(node)}")
        for item in node.value:
            yield item, self._text(item, f"{key}: each")

    def _names(self, node: yaml.Node, key: str) -> tuple[str, ...]:
        """Labels or phrases. In one file, each stands for one relation."""
        name, _, kind = key.partition(".")
        found: dict[str, str] = {}
        for item, text in self._texts(node, key):
            if not entity_key(text) or not folded(text):
                raise self._fault(item, f"{key}: {text!r} must hold a letter or a digit")
            self._claim(item, kind, text, name)
            found.setdefault(folded(text), text)
        return tuple(found.values())

    def _claim(self, node: yaml.Node, kind: str, text: str, relation: str) -> None:
        other = self.claims.setdefault((kind, folded(text)), relation)
        if other != relation:
            raise self._fault(
                node, f"{relation}.{kind}: {text!r} already stands for {other}: keep one of the two"
            )

    def _flag(self, node: yaml.Node, key: str) -> bool:
        if not _is_plain(node) or node.value.casefold() not in ("true", "false"):
            raise self._fault(node, f"{key} must be true or false, not {_said(node)}")
        return bool(node.value.casefold() == "true")

    def _importance(self, node: yaml.Node, key: str) -> float:
        try:
            number = float(node.value) if _is_plain(node) else -1.0
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:  # NaN fails both
            raise self._fault(node, f"{key} must be a number from 0 to 1, not {_said(node)}")
        return number + 0.0  # no -0.0: it would be another digest

    def _excludes(self, node: yaml.Node, key: str) -> frozenset[str]:
        relation = key.partition(".")[0]
        for item, name in self._texts(node, key):
            if name == relation:
                raise self._fault(item, f"{key}: a relation cannot exclude itself")
            self.found.excluded.append((relation, name, _line(item)))
        return frozenset(name for of, name, _ in self.found.excluded if of == relation)

    def _words(self, node: yaml.Node) -> None:
        meant: dict[str, str] = {}
        for at, word, value in self._pairs(node, "words"):
            to = self._text(value, f"words.{word}")
            if not entity_key(word) or not entity_key(to):
                raise self._fault(at, f"words.{word}: both sides must hold a letter or a digit")
            if meant.setdefault(entity_key(word), to) != to:
                other = meant[entity_key(word)]
                raise self._fault(at, f"words.{word}: the same word already stands for {other!r}")
            self.found.words[word] = to

    def _region(self, node: yaml.Node) -> str:
        value = self._text(node, "region")
        if not _REGION.fullmatch(value):
            form = "must be the two letters of a country, such as SG"
            raise self._fault(node, f"region {form}, not {_said(node)}")
        return value.upper()


def _composed(file: Path) -> yaml.Node | None:
    """The file's one document; None where nothing but comments stands in it."""
    try:
        text = file.read_text("utf-8-sig")
    except OSError as error:
        raise BadOntology(f"{file}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadOntology(f"{file}: line {line}: not UTF-8 text; save it as UTF-8") from error
    try:
        node: yaml.Node | None = yaml.compose(text, _LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        lines = text.rstrip().count("\n") + 1  # what ends too early is marked after the last one
        line = min(mark.line + 1, lines) if mark else 1
        raise BadOntology(f"{file}: line {line}: not YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = _line_of_unreadable(text)
        raise BadOntology(f"{file}: line {line}: not YAML: {error.reason}") from error
    return node


def _line_of_unreadable(text: str) -> int:
    """Where the first character stands that YAML does not take: a reader error has no line."""
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _is_plain(node: yaml.Node) -> bool:
    """A scalar without quotes: in quotes it is text, whatever it looks like."""
    return isinstance(node, yaml.ScalarNode) and not node.style


def _is_nothing(node: yaml.Node) -> bool:
    """Nothing behind the key, `~` or `null`, or empty quotes."""
    return isinstance(node, yaml.ScalarNode) and (
        node.tag == "tag:yaml.org,2002:null" or not node.value.strip()
    )


def _said(node: yaml.Node) -> str:
    """A node as an error tells it."""
    if isinstance(node, yaml.ScalarNode):
        shown = node.value if len(node.value) <= 60 else node.value[:57] + "..."
        return "nothing" if _is_nothing(node) else repr(shown)
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
