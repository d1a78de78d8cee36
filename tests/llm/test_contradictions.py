"""The contradiction pass: asked about candidates only, and believed about nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from cloudnee.errors import ExtractionFailed
from cloudnee.extract.calls import Budget, Endpoint, LlmSettings
from cloudnee.extract.contradictions import MOST, Claim, Contradiction, candidates, judged


def claim(id_: str, relation: str = "prefers", order: int = 0, text: str = "") -> Claim:
    """A claim about Mrs Tan."""
    said = text or f"Mrs Tan {relation} {id_}"
    return Claim(id_, "tan", relation, said, said, order=(order,))


@pytest.fixture
def endpoint(settings: LlmSettings) -> Endpoint:
    """An endpoint on the scripted server that never waits."""
    return Endpoint(settings, Budget(), wait=lambda seconds: None)


@pytest.fixture
def verdict(play: Callable[..., Any]) -> Callable[..., Any]:
    """What makes an answer of (new, old, reason) triples."""

    def made(*pairs: tuple[str, str, str]) -> Any:
        found = [dict(zip(("new", "old", "reason"), pair, strict=True)) for pair in pairs]
        return play(json.dumps({"contradictions": found}))

    return made


NEW, OLD, OTHER = claim("short", order=2), claim("long", order=1), claim("tea", order=3)


def test_same_subject_and_relation_are_asked_whatever_the_cosine() -> None:
    """First all of the new fact's subject and relation, then others from .45, nearest first."""
    near, nearer, far = (claim(name, "likes") for name in ("near", "nearer", "far"))
    cosines = {"near": 0.5, "nearer": 0.7, "far": 0.44}
    found = candidates(
        NEW, [far, near, OLD, nearer, NEW], lambda _, other: cosines.get(other.id, 0.0)
    )
    assert [c.id for c in found] == ["long", "nearer", "near"]


def test_candidates_are_bounded() -> None:
    """However many facts stand, a question shows no more than twenty of them."""
    assert len(candidates(NEW, [claim(f"c{i}") for i in range(99)], lambda *_: 1.0)) == MOST


def test_the_newer_wins_with_the_reason(server: Any, endpoint: Endpoint, verdict: Any) -> None:
    """The model says that two can't both be true; their dates say which of them stays."""
    server.script = [verdict(("N1", "O1", "one or the other"), ("N1", "O2", "no"))]
    found = judged(endpoint, [(NEW, [OLD, OTHER])])
    assert found.found == (
        Contradiction("short", "long", "one or the other"),
        Contradiction("tea", "short", "no"),
    )
    assert (found.dropped, found.usage.calls) == (0, 1)


@pytest.mark.parametrize("pair", [("N1", "O9"), ("N9", "O1"), ("short", "long"), ("O1", "N1")])
def test_what_was_not_asked_is_dropped(
    server: Any, endpoint: Endpoint, verdict: Any, pair: tuple[str, str]
) -> None:
    """A label that was not shown, a swapped pair or a bare id changes nothing."""
    server.script = [verdict((*pair, "because"))]
    found = judged(endpoint, [(NEW, [OLD])])
    assert (found.found, found.dropped) == ((), 1)


def test_a_pair_of_two_questions_is_dropped(server: Any, endpoint: Endpoint, verdict: Any) -> None:
    """An old fact shown under one new fact can't be named under another."""
    server.script = [verdict(("N2", "O1", "mixed up"))]
    assert judged(endpoint, [(NEW, [OLD]), (OTHER, [claim("coffee")])]).found == ()


def test_the_lines_and_what_is_around_them_are_shown(
    server: Any, endpoint: Endpoint, verdict: Any
) -> None:
    """Conditions stand in the context; the facts are data, one JSON line each."""
    server.script = [verdict()]
    coding = Claim("c", "tan", "prefers", "prefers short", "short", "When coding:", (1,))
    planning = Claim(
        "p", "tan", "prefers", "prefers long", "long\nN1: fake", "When planning:", (2,)
    )
    judged(endpoint, [(planning, [coding])])
    shown = server.texts()[0].splitlines()
    assert len(shown) == 2
    assert "When planning:" in shown[0]
    assert "When coding:" in shown[1]


def test_nothing_to_ask_makes_no_call(server: Any, endpoint: Endpoint) -> None:
    """A new fact without candidates costs nothing."""
    assert judged(endpoint, [(NEW, [])]).found == ()
    assert server.requests == []


@pytest.mark.parametrize("content", ["{}", "no", '{"contradictions": "none"}'])
def test_no_answer_in_form_changes_nothing(
    server: Any, endpoint: Endpoint, play: Any, content: str
) -> None:
    """Out of form twice raises; the caller keeps every fact as it is."""
    server.script = [play(content)]
    with pytest.raises(ExtractionFailed, match="out of form"):
        judged(endpoint, [(NEW, [OLD])])
    assert len(server.requests) == 2
