"""`recall`, step by step: what narrows it, facts, chains, passages; or what was true on a day."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from cloudnee.flows.asof import hits_then
from cloudnee.flows.caller import Caller
from cloudnee.flows.narrowing import Narrowing, narrowed
from cloudnee.flows.recalling import Recaller, asked
from cloudnee.flows.satisfying import Satisfying
from cloudnee.flows.searching import found_passages
from cloudnee.flows.walking import walked
from cloudnee.graph.dates import from_micros, moment
from cloudnee.graph.question import Question
from cloudnee.model import Passage, Period, Recall, Unread

__all__ = ["Wishes", "recalled", "searched"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a question is to be answered; the arguments of `recall`, checked."""

    top_k: int = 5
    wide_k: int = 100
    hops: int = 1
    influence: float = 0.0
    scoring: str = "exact"
    after: object = None
    before: object = None
    as_of: object = None
    tags: tuple[str, ...] = ()
    recency: bool = False


def recalled(caller: Caller, query: str, wishes: Wishes) -> Recall:
    """The best facts and passages this audience may see."""
    engine, store, reader = caller.engine, caller.store, caller.reader()
    unread = tuple(Unread(*row) for row in store.unread(reader.bit))
    narrowing = _narrowed(caller, query, wishes)
    day = None if wishes.as_of is None else moment(wishes.as_of, engine.zone)  # type: ignore[arg-type]
    if not query.strip() or not store.known:
        return Recall(unread=unread)
    question = asked(query, engine.words(), reader)
    if day is not None:
        laws = engine.ontology
        hits = hits_then(reader, question, day, laws, engine.embedded, wishes.top_k)
        return Recall(hits, unread=unread)
    recaller = Recaller(engine.snapshot, reader, engine.unreadable, engine.unrelated)
    search = partial(found_passages, engine, question, reader.bit, wishes.top_k, narrowing)
    period = _period(narrowing)
    if not recaller.anything():
        return Recall(passages=search(), unread=unread, period=period)
    vector = engine.asked_vector(question.rest)
    hits = recaller.hits(
        question,
        vector,
        top_k=wishes.top_k,
        wide_k=wishes.wide_k,
        influence=wishes.influence,
        scoring=wishes.scoring,
        narrowing=narrowing,
    )
    answer = Recall(
        hits,
        search(vector=vector),
        unread,
        subjects=partial(Satisfying(engine.snapshot, reader).subjects, question, engine.embedded),
        period=period,
    )
    if wishes.hops > 1 and hits:
        _walk(recaller, question, vector, narrowing, wishes, answer)
    return answer


def searched(caller: Caller, query: str, wishes: Wishes) -> tuple[Passage, ...]:
    """The best passages this audience may see."""
    narrowing = _narrowed(caller, query, wishes)
    if not query.strip() or not caller.store.known:
        return ()
    reader = caller.reader()
    question = asked(query, caller.engine.words(), reader)
    return found_passages(caller.engine, question, reader.bit, wishes.top_k, narrowing)


def _narrowed(caller: Caller, query: str, wishes: Wishes) -> Narrowing:
    return narrowed(
        query,
        caller.engine.now,
        caller.engine.zone,
        after=wishes.after,
        before=wishes.before,
        tags=wishes.tags,
        recency=wishes.recency,
    )


def _period(narrowing: Narrowing) -> Period | None:
    span = narrowing.period
    return span and Period(span.words, from_micros(span.start), from_micros(span.end))


def _walk(
    recaller: Recaller,
    question: Question,
    vector: bytes | None,
    narrowing: Narrowing,
    wishes: Wishes,
    answer: Recall,
) -> None:
    """Chains from what the question names, else from the ends of the best facts."""
    known = recaller.scores(question, vector, influence=wishes.influence, narrowing=narrowing)
    starts = sorted(question.entities) or recaller.ends(hit.edge.id for hit in answer.hits)
    answer.chains = walked(recaller.reader, starts, wishes.hops, known, wishes.top_k)
