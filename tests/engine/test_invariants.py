"""Invariants of the design that need more than one small example."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cloudnee import Alias, Memory, NewPage
from tests.engine.conftest import Clock, WordEmbedder


def page(n: int, town: str = "Bedok") -> NewPage:
    text = (
        f"# Customer {n}\n\n- Town: {town}\n- Quoted price: {100 + n % 7}\n- Prefers: mornings\n"
        f"- Technician: Team 1\n\nCalled about unit {n}.\n"
    )
    return NewPage(f"customers/{n}.md", text, (Alias(f"+65 9{n:07}", "", "phone"),))


def steps(memory: Memory, work: Callable[[], object]) -> int:
    """How many steps SQLite's machine takes for some work: the same on every day."""
    counted = 0

    def count(event: dict[str, object]) -> None:
        nonlocal counted
        status = event["stmt_status"]
        assert isinstance(status, dict)
        if "main" not in str(event["sql"]):  # an index's own statements count from its beginning
            counted += status["SQLITE_STMTSTATUS_VM_STEP"]

    memory._store.db.connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, count)
    work()
    memory._store.db.connection.trace_v2(0)
    return counted


def write(memory: Memory, new: NewPage) -> None:
    memory.remember(new.path, new.text, new.aliases)


def test_one_page_costs_one_page(memory: Memory) -> None:
    """Remember, edit, look up and forget take as many steps among 1 500 pages as among 50.

    Every page names the same town, technician and preference: hubs, which must cost nothing.
    """
    costs: list[dict[str, int]] = []
    for first, last in ((0, 50), (50, 1500)):
        memory.remember_many(page(n) for n in range(first, last))
        n = 10_000 + last
        write(memory, page(n + 1))
        costs.append(
            {
                "new": steps(memory, lambda n=n: write(memory, page(n))),  # type: ignore[misc]
                "edit": steps(memory, lambda n=n: write(memory, page(n, "Yishun"))),  # type: ignore[misc]
                "same": steps(memory, lambda n=n: write(memory, page(n, "Yishun"))),  # type: ignore[misc]
                "current": steps(memory, lambda n=n: memory.read_current(f"+659{n:07}")),  # type: ignore[misc]
                "forget": steps(memory, lambda n=n: memory.forget(path=f"customers/{n}.md")),  # type: ignore[misc]
            }
        )
    few, many = costs
    assert {verb: many[verb] <= 1.5 * few[verb] for verb in few} == dict.fromkeys(few, True), costs


def said(memory: Memory) -> str:
    """What a memory tells the public, to whatever it is asked."""
    told: list[object] = [memory.pages(), memory.recent(20), memory.audiences()]
    for who in ("Mrs Tan", "Mr Lim", "Wash", "160", "+6591234567"):
        told += [memory.read_current(who), memory.history(who), memory.aliases(who)]
    for query in ("what price was quoted to Mrs Tan", "wash", "zanzibar", "who likes 160"):
        answer = memory.recall(query, top_k=20)
        told += [answer, answer.subjects, memory.recall(query, scoring="wide").hits]
    graph = memory.graph(past=True)
    return repr([told, list(graph.nodes(data=True)), list(graph.edges)])


PHONES = [(), (Alias("91234567", "", "phone"),), (Alias("98765432", "", "phone"),)]
facts = st.lists(
    st.sampled_from(["Quoted price: 150", "Quoted price: 160", "Likes: zanzibar", "Status: open"]),
    max_size=3,
    unique=True,
)
pages = st.tuples(st.sampled_from(["Mrs Tan", "Mr Lim", "Wash"]), facts, st.sampled_from(PHONES))
Written = tuple[str, Sequence[str], tuple[Alias, ...]]


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(st.lists(pages, max_size=4), st.lists(pages, max_size=4), st.randoms())
def test_the_public_is_told_a_function_of_the_public_part(
    public: list[Written], private: list[Written], order: random.Random
) -> None:
    """Two orgs that differ in hidden pages alone say the same to the public, but for ids.

    Hidden pages come in between the public ones in any order, of the same names and phones.
    """
    with tempfile.TemporaryDirectory() as folder:
        answers = []
        for hidden in (private, []):
            clock = Clock()
            with Memory.open(
                Path(folder) / f"{len(hidden)}{len(answers)}.db",
                org="o", embedder=WordEmbedder(), clock=clock, region="SG",
            ) as memory:  # fmt: skip
                todo = [("services", i, p) for i, p in enumerate(public)]
                order.seed(7)
                for i, p in enumerate(hidden):
                    todo.insert(order.randint(0, len(todo)), ("customers", i, p))
                for where, i, (name, lines, phones) in todo:
                    text = f"# {name}\n\n" + "".join(f"- {line}\n" for line in lines)
                    memory.remember(f"{where}/{i}.md", text, phones)
                renamed = {
                    entity.id: f"<{at}>"
                    for at, entity in enumerate(_entities(memory.as_audience("public")))
                }
                told = said(memory.as_audience("public"))
                for eid in sorted(renamed, key=len, reverse=True):
                    told = told.replace(repr(eid), renamed[eid])
                answers.append(told)
        assert answers[0] == answers[1]


def _entities(memory: Memory) -> list[object]:
    found: dict[str, object] = {}
    for who in ("Mrs Tan", "Mr Lim", "Wash"):
        for entity in memory.read_current(who).entities:
            found.setdefault(entity.id, entity)
    return list(found.values())


WRITER = """
import sys
from cloudnee import Memory
from tests.engine.conftest import WordEmbedder
memory = Memory.open(sys.argv[1], org="o", embedder=WordEmbedder())
print("ready", flush=True)
for n in range(10_000):
    text = f"# Customer {n % 5}\\n\\n- Quoted price: {n}\\n- Likes: number {n}\\n"
    memory.remember(f"p{n % 5}.md", text)
    if n % 7 == 6:
        memory.forget(path=f"p{(n + 2) % 5}.md")
    print(n, flush=True)
"""


def test_killed_at_any_instant_the_file_is_whole(tmp_path: Path) -> None:
    """After SIGKILL the file opens with every page as a whole old or new, nothing told is lost."""
    file = tmp_path / "a.db"
    chance = random.Random(7)
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        wanted = chance.randint(1, 25)
        done = [int(writer.stdout.readline()) for _ in range(wanted)][-1]
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()
        writer.stdout.close()
        writer.wait()
        done = int(rest[-1]) if rest and rest[-1].isdigit() else done
        with Memory.open(file, org="o", embedder=WordEmbedder()) as memory:
            assert memory.check() == []
            text = memory.read_page(f"p{done % 5}.md")
            assert text == "" or int(text.split("number ")[1]) in range(done, done + 8)
            for held in memory.pages():
                (number,) = {
                    line.split()[-1] for line in memory.read_page(held.path).splitlines()[2:]
                }
                edges = memory.read_current(held.subject).edges
                assert {e.target_name.split()[-1] for e in edges} == {number}
