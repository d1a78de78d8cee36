"""Who is who, as somebody said, and the rows that move with it."""

from __future__ import annotations

from dataclasses import dataclass

from cloudnee.store.store import Store

__all__ = ["MergeRow", "Merging", "MovingEdge", "Naming", "Person", "Saying", "key_of"]


@dataclass(frozen=True, slots=True)
class Saying:
    """One page's name: the entity (public id) it means since a merge, and before it."""

    path: str
    key: str
    entity: str
    was: str


@dataclass(frozen=True, slots=True)
class MergeRow:
    """A merge or split in force; `kept` and `gone` are public ids."""

    number: int
    kind: str
    kept: str
    gone: str
    word: str
    made_at: int


@dataclass(frozen=True, slots=True)
class MovingEdge:
    """An edge as it moves from one entity to another, with the names its page gives the ends."""

    row: int
    page: int
    path: str
    source: int
    relation: str
    target: int
    source_name: str
    target_name: str
    stated: int


@dataclass(frozen=True, slots=True)
class Naming:
    """One page's name row for an entity."""

    row: int
    page: int
    path: str
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Person:
    """An entity as proposals read it: by what an audience sees of it."""

    row: int
    eid: str
    key: str
    word: str
    declared: int
    type: str
    name: str


def key_of(eid: str) -> str:
    """The key that an entity's public id is made of: all before the suffix that tells two apart."""
    return eid if eid.startswith(("page:", "=")) else eid.partition("~")[0]


class Merging:
    """The rows of one org that say who is who."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.db = store.db

    # what was said

    def of_page(self, path: str) -> dict[str, str]:
        """key → entity (public id) of the names on a page that somebody spoke of."""
        return dict(self.db.rows("said_of_page", org=self.store.org, path=path))

    def add(self, kind: str, kept: str, gone: str, word: str, now: int) -> int:
        """Note a merge or a split; gives its number."""
        return self.db.run(
            "add_merge", org=self.store.org, kind=kind, kept=kept, gone=gone, word=word, now=now
        )

    def say(self, merge: int, saying: Saying) -> None:
        """Note what a page's name means since a merge."""
        self.db.run(
            "add_said",
            org=self.store.org,
            path=saying.path,
            key=saying.key,
            merge=merge,
            entity=saying.entity,
            was=saying.was,
        )

    def merges(self) -> list[MergeRow]:
        """Each merge and split in force, in the order they were made."""
        return [MergeRow(*row) for row in self.db.rows("merges", org=self.store.org)]

    def merge(self, number: int) -> MergeRow | None:
        """One of them."""
        row = self.db.row("merge", org=self.store.org, id=number)
        return MergeRow(*row) if row else None

    def sayings(self, merge: int) -> list[Saying]:
        """What a merge said of which names."""
        return [Saying(*row) for row in self.db.rows("said_in_merge", merge=merge)]

    def later(self, merge: int) -> int | None:
        """A later merge that speaks of the same names."""
        row = self.db.row("later_merge", merge=merge)
        return row[0] if row else None

    def drop(self, merge: int) -> None:
        """Take a merge back."""
        self.db.run("drop_said_of_merge", merge=merge)
        self.db.run("drop_merge", merge=merge)

    def forget_page(self, path: str) -> None:
        """Nothing was said of a page that is forgotten."""
        self.db.run("drop_said_of_page", org=self.store.org, path=path)
        self.db.run("drop_empty_merges", org=self.store.org)

    def forget_entity(self, eid: str) -> None:
        """Nothing was said of an entity that is forgotten."""
        self.db.run("drop_said_of_entity", org=self.store.org, eid=eid)
        self.db.run("drop_empty_merges", org=self.store.org)

    def move_page(self, was: str, now: str) -> None:
        """What was said of a page holds for its new path."""
        self.db.run("move_said", org=self.store.org, was=was, now=now)

    # rows that move

    def names(self, entity: int) -> list[Naming]:
        """All pages' names for an entity."""
        return [Naming(*row) for row in self.db.rows("names_of_entity", entity=entity)]

    def move_name(self, row: int, entity: int) -> None:
        """Let a page's name mean another entity."""
        self.db.run("move_name", id=row, entity=entity)

    def move_alias(self, row: int, entity: int) -> None:
        """Let a handle lead to another entity."""
        self.db.run("move_alias", id=row, entity=entity)

    def move_page_entity(self, page: int, was: int, now: int) -> None:
        """Let a page be about another entity."""
        self.db.run("move_page_entity", page=page, was=was, now=now)

    def edges(self, entity: int) -> list[MovingEdge]:
        """All edges at an entity, past ones too."""
        return [MovingEdge(*row) for row in self.db.rows("edges_at", entity=entity)]

    def word(self, entity: int) -> str:
        """The `entity:` word of an entity."""
        row = self.db.row("word_of_entity", entity=entity)
        return row[0] if row else ""

    def drop_other_key(self, key: str, entity: int) -> None:
        """An entity is found by a key no more, unless a page calls it so."""
        self.db.run("drop_other_key", org=self.store.org, key=key, entity=entity)

    # what proposals are made from

    def people(self, bit: int) -> list[Person]:
        """The entities the audience sees."""
        return [Person(*row) for row in self.db.rows("people", org=self.store.org, bit=bit)]

    def handles(self, bit: int) -> list[tuple[int, str, str, str]]:
        """(entity, kind, key, handle) of the phones and e-mails the audience sees."""
        return self.db.rows("people_handles", org=self.store.org, bit=bit)

    def neighbours(self, bit: int) -> list[tuple[int, int]]:
        """(source, target) of the current edges."""
        return self.db.rows("neighbours", org=self.store.org, bit=bit)

    def name_texts(self) -> dict[str, int]:
        """name → row of its text, of those in the index."""
        return dict(self.db.rows("name_texts", org=self.store.org))
