"""Pairs of facts that can't both be true: the loser is not current where the winner is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from cloudnee.graph.supersession import Stated
from cloudnee.store.base import OrgRows, as_json

__all__ = ["ContradictionRows"]


class ContradictionRows(OrgRows):
    """The contradictions of an org. They count for those who see the winner while it is stated."""

    def add_contradiction(self, loser: int, winner: int, reason: str, now: int) -> None:
        """Note that one edge can't be true beside another; both by their rows."""
        values = {"loser": loser, "winner": winner, "reason": reason, "now": now}
        self.db.run("add_contradiction", org=self.org, **values)

    def has_contradictions(self) -> bool:
        """Whether there are any: most orgs have none, and need not ask for each edge."""
        return self.db.row("has_contradictions", org=self.org) is not None

    def contradicted(self, losers: Collection[int]) -> list[tuple[int, int, int, str]]:
        """(loser, winner, who sees the winner, reason) of those of these edges that lose."""
        return self.db.rows("contradicted", losers=as_json(list(losers)))

    def losers_of(self, winners: Iterable[int]) -> list[Stated]:
        """The stated edges that lose, or lost, against these."""
        rows = self.db.rows("losers_of", winners=as_json(list(winners)))
        return [Stated._make(row) for row in rows]

    def stated_edges(self, edges: Iterable[int]) -> list[Stated]:
        """Those of these edges that are stated."""
        return [Stated._make(row) for row in self.db.rows("stated_edges", edges=as_json([*edges]))]

    def drop_contradictions_of(self, loser: int) -> None:
        """Let an edge lose against none."""
        self.db.run("drop_contradictions_of", loser=loser)

    def drop_lost_contradictions(self) -> None:
        """Delete what speaks of edges that are gone."""
        self.db.run("drop_lost_contradictions", org=self.org)

    def export_contradictions(self) -> list[dict[str, Any]]:
        """All of them by the public ids of their edges."""
        return self.db.dicts("export_contradictions", org=self.org)

    def edge_row(self, eid: str) -> int | None:
        """The row of an edge, whoever may see it: for the write flow only."""
        row = self.db.row("edge_row", org=self.org, eid=eid)
        return row[0] if row else None
