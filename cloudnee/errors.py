"""Every error cloudnee raises on purpose, as one tree.

CloudneeError
├── BadInput            what was given cannot be taken as it is (also a ValueError)
│   ├── BadPath         a page path that is not canonical, or leads out
│   ├── BadPage         a page that is empty, binary or too large
│   ├── BadOntology     an ontology or audiences file; names file, line and key
│   ├── BadVector       an embedder gave a zero, non-finite or wrongly shaped vector
│   └── Ambiguous       a name that leads to several things where one is needed
├── Forbidden           this audience may not do that
├── Conflict            another writer changed the page again and again meanwhile
├── ExtractionFailed    an extractor could not read a page (reported, rarely raised)
│   └── BudgetSpent     the calls or tokens allowed were used up; nothing was sent
├── EmbeddingFailed     an embedder could not embed (reported, rarely raised)
└── StoreError          the database file
    ├── NotAStore       not a cloudnee database
    ├── NewerStore      written by a newer cloudnee
    ├── StoreLocked     another program holds the lock
    ├── StoreReadOnly   the file or its folder cannot be written
    ├── StoreFull       no space left
    ├── StoreDamaged    SQLite found a damaged page
    └── OtherModel      the vectors inside were made by another embedding model

A message names the thing and the way out. The facts it speaks of are attributes.
"""

from __future__ import annotations

__all__ = [
    "Ambiguous",
    "BadInput",
    "BadOntology",
    "BadPage",
    "BadPath",
    "BadVector",
    "BudgetSpent",
    "CloudneeError",
    "Conflict",
    "EmbeddingFailed",
    "ExtractionFailed",
    "Forbidden",
    "NewerStore",
    "NotAStore",
    "OtherModel",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "StoreReadOnly",
]


class CloudneeError(Exception):
    """The root of all errors that cloudnee raises on purpose."""


class BadInput(CloudneeError, ValueError):
    """What was given cannot be taken as it is; the message says what would be."""


class BadPath(BadInput):
    """A page path that is not canonical or would lead out of the record."""


class BadPage(BadInput):
    """A page that is empty, not text, or larger than the limit."""


class BadOntology(BadInput):
    """An ontology or audiences file that cannot be used; names file, line and key."""


class BadVector(BadInput):
    """An embedder gave a vector that is zero, not finite, or of another shape."""


class Ambiguous(BadInput):
    """A name leads to several entities where one is needed.

    `candidates` holds what tells them apart, as text.
    """

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class Forbidden(CloudneeError, PermissionError):
    """This audience may not do that."""


class Conflict(CloudneeError):
    """Another writer changed the page each time this one was about to."""


class ExtractionFailed(CloudneeError):
    """An extractor could not read a page: it raised, timed out or answered out of form."""


class BudgetSpent(ExtractionFailed):
    """The calls or tokens allowed were used up: the page was not tried, and waits."""


class EmbeddingFailed(CloudneeError):
    """An embedder could not embed the texts it was given."""


class StoreError(CloudneeError):
    """Something about the database file; the message names the file."""


class NotAStore(StoreError):
    """The file exists and is not a cloudnee database."""


class NewerStore(StoreError):
    """The file was written by a newer cloudnee than this one."""


class StoreLocked(StoreError):
    """Another program held the file's lock for longer than the time-out."""


class StoreReadOnly(StoreError):
    """The file, or the folder it stands in, cannot be written."""


class StoreFull(StoreError):
    """The disk has no space left; nothing of the write was kept."""


class StoreDamaged(StoreError):
    """SQLite found a part of the file damaged."""


class OtherModel(StoreError):
    """The vectors in the store were made by another embedding model."""
