"""One org in a database file, as plain calls that take and give values; all SQL stands behind it.

Reads take `bit`, the audience's place in the masks: it cannot be left out, and it is cut inside
the query."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from cloudnee.config import AudienceRules
from cloudnee.store.contradictions import ContradictionRows
from cloudnee.store.edges import EdgeRow, EdgeRows, PageEdge
from cloudnee.store.pages import PageRow, PageRows
from cloudnee.store.passages import PassageRows
from cloudnee.store.people import AliasRow, NameRow, PeopleRows

__all__ = ["AliasRow", "Delivery", "EdgeRow", "NameRow", "PageEdge", "PageRow", "Store"]


class Delivery(NamedTuple):
    """What a note is known again by: a key; or a key, a number and its words, where the key names
    a run of messages, each with its number."""

    key: str
    number: int = -1
    words: str = ""


class Store(PageRows, PassageRows, PeopleRows, EdgeRows, ContradictionRows):
    """One org of one database: its pages, passages, people and edges, and here what is its own."""

    def found(self, rules: Iterable[AudienceRules]) -> None:
        """Make the org with these audiences, unless it is there. Call inside `writing`."""
        if self.known:
            return
        secret = os.urandom(16)
        self._mine.org = (self.db.run("add_org", name=self.org_name, secret=secret), secret)
        self.set_audiences(rules)

    # audiences

    def audience_bit(self, name: str) -> int | None:
        """The mask bit of an audience, or None where the org has none of that name."""
        row = self.db.row("audience_bit", org=self.org, name=name)
        return 1 << row[0] if row else None

    def audiences(self) -> list[tuple[AudienceRules, int]]:
        """The org's audiences with their mask bits."""
        return [
            (AudienceRules(name, _lines(sees), _lines(hides), _lines(writes)), 1 << bit)
            for name, bit, sees, hides, writes in self.db.rows("audiences", org=self.org)
        ]

    def set_audiences(self, rules: Iterable[AudienceRules]) -> None:
        """Replace the org's audiences; the owner has the first bit."""
        self.db.run("drop_audiences", org=self.org)
        for bit, rule in enumerate(sorted(rules, key=lambda rule: rule.name != "owner")):
            self.db.run(
                "set_audience",
                org=self.org,
                name=rule.name,
                bit=bit,
                sees="\n".join(rule.sees),
                hides="\n".join(rule.hides),
                writes="\n".join(rule.writes),
            )

    def scope(self, mask: int) -> int:
        """The id of the scope for a mask, made where it is new."""
        row = self.db.row("scope", org=self.org, mask=mask)
        return row[0] if row else self.db.run("add_scope", org=self.org, mask=mask)

    def visible_scopes(self, bit: int) -> list[tuple[int, int, int]]:
        """(scope, passages, terms) of each scope the audience sees."""
        return self.db.rows("visible_scopes", org=self.org, bit=bit)

    # what reads its pages

    def extractor(self) -> str:
        """What reads the org's pages where nothing else is said: "rules", "llm", "both" or ""."""
        row = self.db.row("org_extractor", org=self.org)
        return str(row[0]) if row else ""

    def set_extractor(self, name: str) -> None:
        """Choose it."""
        self.db.run("set_org_extractor", org=self.org, extractor=name)

    # words

    def words(self) -> dict[str, str]:
        """The words taught to the org: as written, to what they stand for."""
        return dict(self.db.rows("words", org=self.org))

    def set_word(self, key: str, word: str, canonical: str) -> None:
        """Teach a word; the last teaching of a key holds."""
        self.db.run("set_word", org=self.org, key=key, word=word, canonical=canonical)

    # what was forgotten

    def _tombstone(self, kind: str, what: str) -> bytes:
        """A keyed hash: it tells that this was forgotten, and nothing of what it was."""
        import hashlib

        return hashlib.blake2b(f"{kind}\n{what}".encode(), key=self.secret, digest_size=16).digest()

    def delivered(self, note: Delivery) -> bool:
        """Whether this came before: a note under its key, or these words under its number."""
        return self._delivered(note) == self._tombstone("words", note.words)

    def take_delivery(self, note: Delivery | None) -> None:
        """Note that this came though nothing is written, in a transaction of its own."""
        if note and not self.delivered(note):
            with self.writing():
                self.add_delivery(note)

    def add_delivery(self, note: Delivery) -> None:
        """Note that this came. Other words under a number begin a new run: what is known of the
        old one from there on is let go."""
        words = self._delivered(note)
        if words == self._tombstone("words", note.words):
            return
        key = self._tombstone("delivery", note.key)
        if words is not None:
            self.db.run("drop_deliveries", org=self.org, key=key, number=note.number)
        hashed = self._tombstone("words", note.words)
        self.db.run("add_delivery", org=self.org, key=key, number=note.number, words=hashed)

    def _delivered(self, note: Delivery) -> bytes | None:
        key = self._tombstone("delivery", note.key)
        row = self.db.row("delivered", org=self.org, key=key, number=note.number)
        return row[0] if row else None

    def forget(self, kind: str, what: str) -> None:
        """Leave a tombstone for a page ("page") or a fact ("fact")."""
        hashed = self._tombstone(kind, what)
        self.db.run("add_tombstone", org=self.org, kind=kind, hash=hashed)

    def has_tombstones(self) -> bool:
        """Whether anything was ever forgotten for good."""
        return self.db.row("has_tombstones", org=self.org) is not None

    def fact_forgotten(self, fact: str, quote: str) -> bool:
        """Whether a fact was forgotten as this line states it."""
        return self.is_forgotten("fact", fact + "\n" + " ".join(quote.split()))

    def forget_fact(self, fact: str, quote: str) -> None:
        """Keep a fact away for as long as this line states it."""
        self.forget("fact", fact + "\n" + " ".join(quote.split()))

    def is_forgotten(self, kind: str, what: str) -> bool:
        """Whether a tombstone stands for it."""
        hashed = self._tombstone(kind, what)
        return self.db.row("tombstone", org=self.org, kind=kind, hash=hashed) is not None

    def unforget(self, kind: str, what: str) -> None:
        """Take a tombstone away: someone asked for it again."""
        hashed = self._tombstone(kind, what)
        self.db.run("drop_tombstone", org=self.org, kind=kind, hash=hashed)

    # ratings

    def add_rating(self, fact: str, key: str, rating: int, implicit: bool, now: int) -> None:
        """Queue a rating; the same again under its key changes nothing."""
        self.db.run(
            "add_rating",
            org=self.org,
            fact=fact,
            key=key,
            rating=rating,
            implicit=int(implicit),
            now=now,
        )

    def waiting_facts(self) -> list[tuple[str, int]]:
        """(fact, how many ratings wait) of the queue."""
        return self.db.rows("waiting_facts", org=self.org)

    def oldest_waiting(self) -> int | None:
        """When the oldest waiting rating was given."""
        row = self.db.row("oldest_waiting", org=self.org)
        return row[0] if row else None

    def ratings_of(self, fact: str) -> list[tuple[int, int]]:
        """(rating, implicit) of a fact in the order given."""
        return self.db.rows("ratings_of", org=self.org, fact=fact)

    def apply_weight(self, fact: str, weight: float, revision: int) -> None:
        """Set the weight of all intervals of a fact; its ratings wait no more."""
        self.db.run("set_weight", org=self.org, fact=fact, weight=weight, revision=revision)
        self.db.run("mark_applied", org=self.org, fact=fact)

    def drop_ratings(self, fact: str) -> None:
        """Delete a fact's ratings."""
        self.db.run("drop_ratings", org=self.org, fact=fact)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()
