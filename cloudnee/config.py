"""What an org decides for itself: who sees and writes which paths. Read from `audiences.yaml`."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from cloudnee.errors import BadOntology
from cloudnee.records import record

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MAX_AUDIENCES", "AudienceRules", "load_audiences"]

MAX_AUDIENCES = 60  # one bit each in SQLite's signed 64-bit integers, with room to spare


@record
class AudienceRules:
    """One audience: what it sees (`sees` but not `hides`) and writes, as path patterns.

    In a pattern `*` stands for anything within a folder, `**` for anything. Rules ignore case.
    """

    name: str
    sees: tuple[str, ...]
    hides: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def may_see(self, path: str) -> bool:
        """Whether a page at this path is visible to the audience."""
        return _matches(self.sees, path) and not _matches(self.hides, path)

    def may_write(self, path: str) -> bool:
        """Whether the audience may write a page at this path."""
        return self.may_see(path) and _matches(self.writes, path)

    def covers(self, other: AudienceRules) -> bool:
        """Whether everything `other` sees is surely seen by this audience too."""
        wide = "**" in self.sees or set(other.sees) <= set(self.sees)
        return wide and set(self.hides) <= set(other.hides)


def _matches(patterns: tuple[str, ...], path: str) -> bool:
    folded = _folded(path)
    return any(_pattern(pattern).fullmatch(folded) for pattern in patterns)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*|\?)", _folded(pattern))
    wild = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(wild.get(part) or re.escape(part) for part in parts), re.DOTALL)


def load_audiences(file: Path) -> tuple[AudienceRules, ...]:
    """The audiences of a YAML file, in order.

    Raises `BadOntology` with the file and the key for anything that is not of the form
    `audiences: {NAME: {see: [...], hide: [...], write: [...]}}`. "owner" must be among them and
    see everything: someone has to.
    """
    import yaml

    try:
        read = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadOntology(f"{file}: cannot be read as YAML: {error}") from error
    named = read.get("audiences") if isinstance(read, dict) and set(read) == {"audiences"} else None
    if not isinstance(named, dict):
        raise BadOntology(f'{file}: expected one key "audiences" with a mapping of names')
    rules = tuple(_audience(file, name, body) for name, body in named.items())
    owner = next((rule for rule in rules if rule.name == "owner"), None)
    if owner is None or owner.sees != ("**",) or owner.hides:
        raise BadOntology(f'{file}: "owner" must be there with see: ["**"] and nothing hidden')
    if len(rules) > MAX_AUDIENCES:
        raise BadOntology(f"{file}: {len(rules)} audiences; {MAX_AUDIENCES} is the limit")
    return rules


def _audience(file: Path, name: object, body: object) -> AudienceRules:
    allowed = {"see", "hide", "write"}
    if not isinstance(name, str) or not isinstance(body, dict):
        raise BadOntology(f"{file}: audience {name!r} must be a mapping of {sorted(allowed)}")
    if unknown := set(body) - allowed:
        raise BadOntology(f"{file}: {name}: unknown key {unknown!r}: only {sorted(allowed)}")
    return AudienceRules(
        name, *(_patterns(file, name, key, body.get(key, [])) for key in ("see", "hide", "write"))
    )


def _patterns(file: Path, name: str, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
        raise BadOntology(f"{file}: {name}: {key} must be a list of path patterns, not {value!r}")
    return tuple(value)
