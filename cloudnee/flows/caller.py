"""Who asks: an audience of an engine's org, and what it may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudnee import errors
from cloudnee.flows.engine import Engine
from cloudnee.flows.reading import Reader

if TYPE_CHECKING:
    from cloudnee.config import AudienceRules
    from cloudnee.flows.writing import Writer

__all__ = ["Caller"]


class Caller:
    """One audience: what it sees, what it may write, and the reader and writer it works with."""

    def __init__(self, engine: Engine, audience: str) -> None:
        self.engine = engine
        self.store = engine.store
        self.audience = audience

    def check(self, name: str) -> None:
        """Raise `BadInput` where the org has no audience of this name."""
        if name not in {rule.name for rule, _ in self.rules()}:
            raise errors.BadInput(
                f'unknown audience {name!r}: "cloudnee audiences" lists those of org '
                f"{self.store.org_name!r}"
            )

    def rules(self) -> list[tuple[AudienceRules, int]]:
        """The audiences in force with their bits: the shipped ones where there is no org yet."""
        if self.store.known:
            return self.store.audiences()
        shipped = self.engine.shipped_audiences
        ordered = sorted(shipped, key=lambda rule: rule.name != "owner")
        return [(rule, 1 << bit) for bit, rule in enumerate(ordered)]

    def rule(self) -> AudienceRules:
        """The rules of this audience."""
        return next(rule for rule, _ in self.rules() if rule.name == self.audience)

    @property
    def bit(self) -> int:
        """This audience's bit in the masks; 0, which sees nothing, where it is gone."""
        return self.store.audience_bit(self.audience) or 0 if self.store.known else 0

    def owner_only(self, what: str) -> None:
        """Raise `Forbidden` for all but the owner."""
        if self.audience != "owner":
            raise errors.Forbidden(f"audience {self.audience!r} may not {what}")

    def may_write(self, path: str) -> None:
        """Raise `Forbidden` where this audience may not write a page."""
        if not self.rule().may_write(path):
            raise errors.Forbidden(f"audience {self.audience!r} may not write {path!r}")

    def reader(self) -> Reader:
        """What reads as this audience."""
        return Reader(self.store, self.bit)

    def found(self) -> None:
        """Inside a write: the org and its vector indexes exist."""
        self.store.found(self.engine.shipped_audiences)
        embedder = self.engine.embedder
        self.engine.vectors.claim(embedder.model, embedder.dimensions)

    def writer(self) -> Writer:
        """Inside a write: what writes as this audience."""
        from cloudnee.flows.writing import Writer

        return Writer(
            self.store,
            self.engine.ontology,
            region=self.engine.region,
            bit=self.bit,
            now=self.engine.now,
            rules=self.store.audiences(),
        )
