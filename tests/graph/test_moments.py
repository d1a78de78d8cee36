"""Spans of time as people name them, seen from a day in a zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.errors import BadInput
from cloudnee.graph.dates import from_micros, micros
from cloudnee.graph.moments import bound, named_span

SINGAPORE = ZoneInfo("Asia/Singapore")
NOW = micros(datetime(2026, 3, 16, 9, 30, tzinfo=SINGAPORE))  # a Monday


def days(text: str) -> tuple[str, str] | None:
    """First and last day that a text names."""
    span = named_span(text, NOW, SINGAPORE)
    if span is None:
        return None
    first, after = (from_micros(at).astimezone(SINGAPORE) for at in span[:2])
    return first.date().isoformat(), (after - timedelta(microseconds=1)).date().isoformat()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did we do yesterday?", "2026-03-15", "2026-03-15"),
        ("visits today", "2026-03-16", "2026-03-16"),
        ("who called last week", "2026-03-09", "2026-03-15"),
        ("this week", "2026-03-16", "2026-03-22"),
        ("last weekend", "2026-03-14", "2026-03-15"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("quotes of last year", "2025-01-01", "2025-12-31"),
        ("in May", "2025-05-01", "2025-05-31"),
        ("in February", "2026-02-01", "2026-02-28"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("on 3 June 2024", "2024-06-03", "2024-06-03"),
        ("on June 3rd, 2024", "2024-06-03", "2024-06-03"),
        ("the 3rd of June", "2025-06-03", "2025-06-03"),
        ("on 2024-02-29", "2024-02-29", "2024-02-29"),
        ("on 31 February 2024", "2024-02-01", "2024-02-29"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("7 days ago", "2026-03-09", "2026-03-09"),
        ("two months ago", "2026-01-01", "2026-01-31"),
        ("last Friday", "2026-03-13", "2026-03-13"),
        ("last Monday", "2026-03-09", "2026-03-09"),
        ("on Monday", "2026-03-16", "2026-03-16"),
        ("since May 2023", "2023-05-01", "2026-03-16"),
        ("since last Friday", "2026-03-13", "2026-03-16"),
        ("before 2024-02-29", "1970-01-01", "2024-02-28"),
    ],
)
def test_what_words_name(text: str, first: str, last: str) -> None:
    """In whole days of the caller's zone."""
    assert days(text) == (first, last)


@pytest.mark.parametrize(
    "text",
    ["may I come?", "march to the door", "sun and moon", "room 2022", "call 1990",
     "", "the second unit", "sat on it", "a week", "INV-2024"],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    """Nothing is guessed."""
    assert days(text) is None


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_a_day_is_its_own_span(day: date) -> None:
    """An ISO date names exactly that day, and both bounds begin there."""
    span = named_span(f"on {day.isoformat()}", NOW, UTC)
    assert span is not None
    assert from_micros(span.start).date() == day
    assert span.end - span.start == 86_400_000_000
    assert bound("after", day.isoformat(), NOW, UTC) == span.start == bound("after", day, NOW, UTC)


@given(st.integers(0, 5000), st.sampled_from(["day", "week", "month", "year"]))
def test_longer_ago_is_earlier(count: int, unit: str) -> None:
    """Or named by no date at all."""
    near = named_span(f"{count} {unit}s ago", NOW, UTC)
    far = named_span(f"{count + 1} {unit}s ago", NOW, UTC)
    if near and far:
        assert far.start < near.start <= NOW


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    """Without an error; a span begins before it ends."""
    span = named_span(text, NOW, SINGAPORE)
    assert span is None or span.start < span.end


def test_bounds() -> None:
    """Seconds, words, datetimes; what is none of them is refused by name."""
    assert bound("after", 1_700_000_000, NOW, UTC) == 1_700_000_000_000_000
    assert bound("after", "1700000000", NOW, UTC) == 1_700_000_000_000_000
    last_week = micros(datetime(2026, 3, 9, tzinfo=SINGAPORE))
    assert bound("before", "last week", NOW, SINGAPORE) == last_week
    assert bound("before", datetime(2026, 3, 9), NOW, SINGAPORE) == last_week  # noqa: DTZ001
    for wrong in ("soon", "", True, -1, None, 1e20, float("nan")):
        with pytest.raises(BadInput, match="after"):
            bound("after", wrong, NOW, UTC)
