"""`retry` and `reread`: what failed is finished, with all that was given beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cloudnee import Alias, Memory
from cloudnee.extract.base import Extraction
from cloudnee.extract.rules import RulesExtractor
from tests.repair.conftest import Clock

PAGE = "# Mrs Tan\n\n- Lives in: Bedok\n"


class Patchy:
    """The rules, with an outage while `down` is set."""

    name, version, whole_page = "patchy", "1", True

    def __init__(self, rules: RulesExtractor) -> None:
        self.rules = rules
        self.down = True

    def extract(self, text: str, **given: object) -> Extraction:
        if self.down:
            raise RuntimeError("no answer")
        return self.rules.extract(text, **given)  # type: ignore[arg-type]


def patchy(open_memory: Callable[..., Memory]) -> tuple[Memory, Patchy]:
    """A memory whose extractor is down."""
    extractor = Patchy(RulesExtractor(open_memory()._engine.ontology))
    return open_memory(extractor=extractor), extractor


def test_retry_finishes_with_the_handles_and_date_that_were_given(
    open_memory: Callable[..., Memory], clock: Clock
) -> None:
    """Nothing that came with a failed page is lost, and the date is that of its coming."""
    memory, extractor = patchy(open_memory)
    given = Alias("91234567")
    assert memory.remember("a.md", PAGE, [given], as_of="2026-01-05").status == "failed"
    memory.remember("b.md", PAGE.replace("Tan", "Lim"))
    first = clock.at
    clock.turn(days=3)
    assert memory.read_current("91234567").entities == ()
    extractor.down = False
    assert [report.status for report in memory.retry()] == ["written", "written"]
    (edge,) = memory.read_current("91234567").edges
    assert edge.as_of.date().isoformat() == "2026-01-05"
    (other,) = memory.read_current("Mrs Lim").edges
    assert other.as_of == first
    assert memory.retry() == []
    assert memory.check() == []


def test_the_next_remember_takes_what_waited(open_memory: Callable[..., Memory]) -> None:
    """A later text of the page comes with the handles given before."""
    memory, extractor = patchy(open_memory)
    memory.remember("a.md", PAGE, [Alias("91234567")])
    extractor.down = False
    memory.remember("a.md", PAGE + "- Likes: tea\n", [Alias("98765432")])
    assert len(memory.read_current("91234567").edges) == 2
    assert len(memory.read_current("98765432").edges) == 2


def test_reread_after_a_change_of_ontology_makes_no_fact_newer(
    open_memory: Callable[..., Memory], clock: Clock, tmp_path: Path
) -> None:
    """An old page read anew does not win over a newer one; pages whose file went are left."""
    memory = open_memory()
    memory.remember("old.md", "# Wash\n\n- Charge: 180\n")
    clock.turn(days=1)
    memory.remember("new.md", "# Wash\n\n- Quoted price: 160\n")
    clock.turn(days=1)
    (tmp_path / "own").mkdir()
    (tmp_path / "own/own.yaml").write_text(
        "relations:\n  quoted_price: {labels: [Charge], functional: true}\n"
    )
    other = open_memory(ontology=tmp_path / "own")
    assert {report.status for report in other.reread()} == {"written"}
    prices = {(e.relation, e.target_name) for e in other.read_current("Wash").edges}
    assert ("quoted_price", "160") in prices
    assert ("quoted_price", "180") not in prices
    assert other.check() == []
