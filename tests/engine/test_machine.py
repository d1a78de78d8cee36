"""A state machine drives a memory against a small oracle of the design's sections 4 to 8.

After every step: what each audience reads as current, what recall may answer, and a clean check.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cloudnee import Memory
from cloudnee.extract.base import Extraction
from cloudnee.extract.ontology import load_ontology
from cloudnee.extract.rules import RulesExtractor
from tests.engine.conftest import Clock, WordEmbedder

PATHS = ["services/a.md", "services/b.md", "customers/c.md", "private/d.md"]
NAMES = ["Wash", "Mrs Tan"]
LABELS = {
    "Quoted price": "quoted_price",
    "Likes": "likes",
    "Prefers": "prefers",
    "Refuses": "refuses",
    "CEO of": "ceo_of",
}
VALUES = ["160", "180"]
lines = st.lists(
    st.tuples(st.sampled_from(sorted(LABELS)), st.sampled_from(VALUES)), min_size=1, max_size=4
)
days = st.one_of(st.none(), st.integers(1, 27))

Fact = tuple[str, str, str]


class Failing:
    """The rules, until they are told to fail."""

    whole_page = True

    def __init__(self) -> None:
        self.rules = RulesExtractor(load_ontology())
        self.name, self.version = self.rules.name, self.rules.version
        self.down = False

    def extract(self, text: str, *, subject: str, path: str, date: datetime) -> Extraction:
        if self.down:
            raise ConnectionError("the endpoint is away")
        return self.rules.extract(text, subject=subject, path=path, date=date)


@dataclass
class Stated:
    as_of: datetime
    written: int
    line: int
    quote: str


@dataclass
class Page:
    facts: dict[Fact, Stated] = field(default_factory=dict)
    own_date: datetime | None = None


class Oracle:
    """What the design says, in a few lines: pages with their facts, judged from scratch."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.writes = 0

    def remember(
        self, path: str, name: str, said: list[tuple[str, str]], own: datetime | None, now: datetime
    ) -> None:
        self.writes += 1
        before = self.pages.get(path, Page())
        moved = own is not None and own != before.own_date
        fresh: dict[Fact, Stated] = {}
        for number, (label, value) in enumerate(said):
            quote = f"- {label}: {value}"
            fact = (name, LABELS[label], value)
            known = before.facts.get(fact)
            if known and not moved and known.quote == quote:
                fresh[fact] = Stated(known.as_of, known.written, number, quote)
            else:
                fresh[fact] = Stated(own or now, self.writes, number, quote)
        self.pages[path] = Page(fresh, own)

    def current(self, audience: str) -> set[Fact]:
        """Each group's newest value among what the audience sees; of other relations, all."""
        stated = [
            (fact, (s.as_of, s.written, s.line))
            for path, page in self.pages.items()
            if visible(path, audience)
            for fact, s in page.facts.items()
        ]
        newest: dict[object, tuple[object, object]] = {}
        for fact, rank in stated:
            group, value = group_of(fact)
            if group not in newest or rank > newest[group][0]:  # type: ignore[operator]
                newest[group] = (rank, value)
        return {fact for fact, _ in stated if newest[group_of(fact)[0]][1] == group_of(fact)[1]}


def group_of(fact: Fact) -> tuple[object, object]:
    """(the group a fact competes in, what it stands for there)."""
    source, relation, target = fact
    if relation == "quoted_price":
        return (source, relation), target
    if relation == "ceo_of":
        return (target, relation), source
    if relation in ("prefers", "refuses"):
        return (source, target), relation
    return fact, fact


def visible(path: str, audience: str) -> bool:
    return audience == "owner" or path.startswith("services/")


class Desk(RuleBasedStateMachine):
    """Remember, edit, import late, fail, forget, rate, reopen: in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.extractor = Failing()
        self.oracle = Oracle()
        self.embedder = WordEmbedder()
        self.texts: dict[str, tuple[str, list[tuple[str, str]], datetime | None]] = {}
        self.failed: set[str] = set()
        self.open()

    def open(self) -> None:
        self.memory = Memory.open(
            Path(self.folder.name) / "desk.db",
            org="coolair",
            embedder=self.embedder,
            extractor=self.extractor,  # type: ignore[arg-type]
            clock=self.clock,
        )

    def teardown(self) -> None:
        self.memory.close()
        self.folder.cleanup()

    @rule(path=st.sampled_from(PATHS), name=st.sampled_from(NAMES), said=lines, day=days)
    def remember(self, path: str, name: str, said: list[tuple[str, str]], day: int | None) -> None:
        """A page new or edited, dated in May or not at all."""
        self._remember(path, name, said, day)

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def remember_again(self, data: st.DataObject) -> None:
        """The same bytes: no work, unless the page failed last time."""
        path = data.draw(st.sampled_from(sorted(self.texts)))
        name, said, own = self.texts[path]
        self._remember(path, name, said, own.day if own else None)

    def _remember(self, path: str, name: str, said: list[tuple[str, str]], day: int | None) -> None:
        self.clock.turn(minutes=1)
        own = datetime.combine(date(2026, 5, day), time.max, UTC) if day else None
        front = f"---\ndate: 2026-05-{day:02}\n---\n" if day else ""
        text = f"{front}# {name}\n\n" + "".join(f"- {label}: {value}\n" for label, value in said)
        same = self.texts.get(path) == (name, said, own)
        report = self.memory.remember(path, text)
        self.texts[path] = (name, said, own)
        if self.extractor.down and not (same and path not in self.failed):
            assert report.status == "failed"
            self.failed.add(path)
            return
        assert report.status == ("unchanged" if same and path not in self.failed else "written")
        self.failed.discard(path)
        if report.status == "written":
            self.oracle.remember(path, name, said, own, self.clock.at)

    @rule(down=st.booleans())
    def outage(self, down: bool) -> None:
        """The extractor's endpoint goes away, or comes back."""
        self.extractor.down = down

    @rule(path=st.sampled_from(PATHS))
    def forget(self, path: str) -> None:
        """A page goes; what it had beaten is current again."""
        self.memory.forget(path=path)
        self.oracle.pages.pop(path, None)
        self.texts.pop(path, None)
        self.failed.discard(path)

    @rule(rating=st.integers(1, 5))
    def rate(self, rating: int) -> None:
        """Rate whatever was written last."""
        self.memory.improve([edge.id for edge in self.memory.recent(2)], rating)
        self.memory.apply_feedback()

    @rule()
    def reopen(self) -> None:
        """Another process goes on."""
        self.memory.close()
        self.open()

    @invariant()
    def current_is_what_the_oracle_says(self) -> None:
        """By name and audience, current facts are those the design names, each once."""
        for audience in ("owner", "public"):
            memory = self.memory.as_audience(audience)
            expected = self.oracle.current(audience)
            for name in NAMES:
                edges = memory.read_current(name).edges
                found = [(e.source_name, e.relation, e.target_name) for e in edges]
                assert len(found) == len(set(found))
                assert set(found) == {fact for fact in expected if fact[0] == name}
            hits = memory.recall("what price was quoted", top_k=100).hits
            told = {(h.edge.source_name, h.edge.relation, h.edge.target_name) for h in hits}
            assert told == expected

    @invariant()
    def history_only_grows_by_intervals(self) -> None:
        """Every stated fact is in the history once, and what ended says why."""
        for name in NAMES:
            edges = [e for e in self.memory.history(name) if e.source_name == name]
            assert all(edge.ended for edge in edges if edge.retired_at)
            stated = [(e.path, e.relation, e.target_name) for e in edges if not e.retired_at]
            assert len(stated) == len(set(stated))

    @invariant()
    def failed_pages_are_named(self) -> None:
        """Recall names every page whose newest text is unread."""
        assert {page.path for page in self.memory.recall("price").unread} == self.failed

    @invariant()
    def the_file_is_clean(self) -> None:
        """Rows, vectors, counts and text index agree."""
        assert self.memory.check() == []


Desk.TestCase.settings = settings(
    max_examples=int(os.environ.get("CLOUDNEE_EXAMPLES", "60")),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestDesk = Desk.TestCase
TestDesk.__doc__ = "The memory and the oracle agree after every step."
