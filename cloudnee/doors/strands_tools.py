"""The tools that a Cloudnee store gives a Strands agent beside those of the memory manager."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from strands import tool

from cloudnee.doors import wording
from cloudnee.doors.strands_found import Source

if TYPE_CHECKING:
    from strands.types.tools import AgentTool

__all__ = ["tools"]

_MOST = 50  # facts in one answer


def tools(memory: Callable[[], Source], name: str, *, writable: bool) -> list[AgentTool]:
    """Tools over a memory; with several stores the names tell them apart."""
    end = "" if name == "cloudnee" else f"_{name}"
    made: list[AgentTool] = [_read_current(memory, end), _history(memory, end)]
    if writable:
        made += [_improve(memory, end), _forget(memory, end)]
    return made


def _read_current(memory: Callable[[], Source], end: str) -> AgentTool:
    async def read_current(who: str) -> str:
        """Current facts about one person, phone number, e-mail address or thing, each with its id.

        Call this first when you know whom or what to look up: it is exact and at once.

        Args:
            who: A phone, an e-mail address, a name or an id.
        """
        told = await asyncio.to_thread(lambda: memory().read_current(who))
        if not told.entities:
            return wording.nothing(who, told.suggestions)
        lines = []
        for entity, edges in wording.about(told):
            lines.append(wording.entity(entity))
            lines += [f"- {wording.fact(edge)} [{edge.id}]" for edge in edges[:_MOST]]
        if len(told.entities) > 1:
            lines.append("These are different: ask which one is meant.")
        lines += [wording.unread(page) for page in told.unread]
        return wording.fenced(lines)

    return tool(name=f"read_current{end}")(read_current)


def _history(memory: Callable[[], Source], end: str) -> AgentTool:
    async def history(who: str) -> str:
        """All that was ever stated about someone or something, newest first, and why it ended.

        Call this when asked what was true before, what changed, or when.

        Args:
            who: A phone, an e-mail address, a name or an id.
        """
        edges = await asyncio.to_thread(lambda: memory().history(who))
        if not edges:
            return wording.nothing(who)
        by_id = {edge.id: edge for edge in edges}
        lines = [wording.interval(e, by_id.get(e.superseded_by or "")) for e in edges[:_MOST]]
        return wording.fenced(lines)

    return tool(name=f"history{end}")(history)


def _improve(memory: Callable[[], Source], end: str) -> AgentTool:
    async def improve(edge_ids: list[str], rating: int) -> str:
        """Rate facts that you used, so that good ones rank higher next time.

        Call this when the user says that an answer was right (5) or wrong (1).

        Args:
            edge_ids: Ids of facts, as search_memory and read_current give them.
            rating: From 1 (wrong or useless) to 5 (right and useful).
        """
        rated = await asyncio.to_thread(lambda: memory().improve(edge_ids, rating))
        lost = f"; unknown: {', '.join(rated.unknown)}" if rated.unknown else ""
        return f"{wording.counted(rated.queued, 'rating')} taken{lost}"

    return tool(name=f"improve{end}")(improve)


def _forget(memory: Callable[[], Source], end: str) -> AgentTool:
    async def forget(edge_id: str) -> str:
        """Delete one fact for good, history included.

        Call this only when the user asks to forget it. A fact that changed needs no forgetting:
        add what is true now.

        Args:
            edge_id: The id of the fact.
        """
        done = await asyncio.to_thread(lambda: memory().forget(edge_id=edge_id))
        if not done.edges:
            return "nothing was there to forget"
        return f"{wording.counted(len(done.edges), 'interval')} forgotten"

    return tool(name=f"forget{end}")(forget)
