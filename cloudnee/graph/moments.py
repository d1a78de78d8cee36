"""Spans of time that people name: "last week", "in May 2023", "7 days ago", 2026-03-16.

A span is [start, end) in microseconds since 1970, seen from a moment in the caller's zone. Only
what has one meaning is read: "may" is a month where a preposition, a day or a year says so.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from cloudnee.errors import BadInput
from cloudnee.graph.dates import from_micros, micros

__all__ = ["Span", "bound", "named_span"]

_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name: number for number, name in enumerate(_MONTHS.split(), 1)}
_MONTH.update({name[:3]: number for name, number in list(_MONTH.items()) if name != "may"})
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_COUNT = rf"(?P<count>\d{{1,4}}|an?|{'|'.join(_NUMBERS)})"
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_NTH = r"(?:st|nd|rd|th)?"
_FORMS = (
    re.compile(r"\b(?P<iso>\d{4}-\d\d-\d\d)\b"),
    re.compile(
        rf"\b(?:(?P<day>\d{{1,2}}){_NTH} (?:of )?(?P<month>{_NAMES})|"
        rf"(?P<month2>{_NAMES}) (?P<day2>\d{{1,2}}){_NTH})\b(?:,? (?P<year>(?:19|20)\d\d))?"
    ),
    re.compile(rf"\b(?P<month>{_NAMES}),? (?:of )?(?P<year>(?:19|20)\d\d)\b"),
    re.compile(rf"\b(?:in|during|since|of|by|last|this|until) (?P<month>{_NAMES})\b"),
    re.compile(rf"\b{_COUNT} (?P<unit>day|week|month|year)s? ago\b"),
    re.compile(r"\b(?P<which>last|past|this) (?P<unit>week|month|year|weekend)\b"),
    re.compile(rf"\b(?P<which>last|this|on) (?P<weekday>{'|'.join(_DAYS)})\b"),
    re.compile(r"\b(?P<named>today|tonight|yesterday)\b"),
    re.compile(r"\b(?:in|during|of|since|year) (?P<year>(?:19|20)\d\d)\b"),
)


class Span(NamedTuple):
    """A span of time: microseconds since 1970, the end excluded; `words` name it."""

    start: int
    end: int
    words: str = ""


def named_span(text: str, now: int, zone: tzinfo) -> Span | None:
    """The first span that a text names, or None. "Since" and "until" leave one side open."""
    folded = text.casefold()
    today = from_micros(now).astimezone(zone).date()
    for form in _FORMS:
        for found in form.finditer(folded):
            days = _days(found, today)
            if days is not None:
                span = _span(*days, zone, text[found.start() : found.end()])
                return _open(span, folded[: found.start()], found.group(), now)
    return None


def bound(name: str, value: object, now: int, zone: tzinfo) -> int:
    """An `after` or `before` as microseconds: where what it names begins.

    ISO dates and times, seconds since 1970, datetimes, "7 days ago", "last week". Raises
    `BadInput`.
    """
    if isinstance(value, datetime):
        return micros(value if value.tzinfo else value.replace(tzinfo=zone))
    if isinstance(value, date):
        return micros(datetime.combine(value, time.min, zone))
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e11:
        return int(value * 1_000_000)
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"\d{9,11}(?:\.\d+)?", text):
            return int(float(text) * 1_000_000)
        try:
            return bound(name, datetime.fromisoformat(text), now, zone)
        except ValueError:
            span = named_span(text, now, zone)
            if span is not None:
                return span.start
    raise BadInput(
        f"{name} must be a date such as 2026-03-16, seconds since 1970, or words such as "
        f'"7 days ago" or "last week", not {value!r:.80}'
    )


def _span(first: date, after: date, zone: tzinfo, words: str) -> Span:
    start, end = (micros(datetime.combine(day, time.min, zone)) for day in (first, after))
    return Span(start, end, words)


def _open(span: Span, before: str, words: str, now: int) -> Span:
    """Without an end after "since", without a beginning after "until" and "before"."""
    said = f"{before[-8:]}{words.split()[0]}"
    if re.search(r"\b(?:since|after)\b", said):
        return span._replace(end=max(now + 1, span.end))
    if re.search(r"\b(?:until|before)\b", said):
        return span._replace(start=0, end=span.start)
    return span


def _days(found: re.Match[str], today: date) -> tuple[date, date] | None:
    """(first day, day after the last) of what a pattern found; None for no date at all."""
    part = {name: value for name, value in found.groupdict().items() if value}
    try:
        if "iso" in part:
            first = date.fromisoformat(part["iso"])
            return first, first + timedelta(days=1)
        if "named" in part:
            first = today - timedelta(days=int(part["named"] == "yesterday"))
            return first, first + timedelta(days=1)
        if "weekday" in part:
            return _weekday(part["which"], _DAYS.index(part["weekday"]), today)
        if "count" in part:
            return _ago(_number(part["count"]), part["unit"], today)
        if "unit" in part:
            return _period(part["which"], part["unit"], today)
        return _dated(part, today)
    except (ValueError, OverflowError):
        return None


def _dated(part: dict[str, str], today: date) -> tuple[date, date]:
    year = int(part["year"]) if "year" in part else None
    month = _MONTH.get(part.get("month") or part.get("month2") or "")
    day = int(part.get("day") or part.get("day2") or 0)
    if month is None:
        return date(year or today.year, 1, 1), date((year or today.year) + 1, 1, 1)
    if year is None:  # the latest that has begun
        year = today.year - ((month, max(day, 1)) > (today.month, today.day))
    first = date(year, month, day or 1)
    days = 1 if day else monthrange(year, month)[1]
    return first, first + timedelta(days=days)


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    return 1 if word in ("a", "an") else _NUMBERS.index(word) + 1


def _ago(count: int, unit: str, today: date) -> tuple[date, date]:
    """The day, week, month or year so long ago: "two weeks ago" is the seven days around it."""
    if unit in ("day", "week"):
        first = today - timedelta(days=count * (7 if unit == "week" else 1))
        wide = 3 if unit == "week" else 0
        return first - timedelta(days=wide), first + timedelta(days=wide + 1)
    months = today.year * 12 + today.month - 1 - count * (12 if unit == "year" else 1)
    if unit == "year":
        return date(months // 12, 1, 1), date(months // 12 + 1, 1, 1)
    return _month(months)


def _month(months: int) -> tuple[date, date]:
    return date(months // 12, months % 12 + 1, 1), date(
        (months + 1) // 12, (months + 1) % 12 + 1, 1
    )


def _period(which: str, unit: str, today: date) -> tuple[date, date]:
    back = 0 if which == "this" else 1
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        first = monday - timedelta(days=7 * back)
        return first, first + timedelta(days=7)
    if unit == "weekend":
        saturday = monday + timedelta(days=5 - 7 * back)
        return saturday, saturday + timedelta(days=2)
    if unit == "year":
        return date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1)
    return _month(today.year * 12 + today.month - 1 - back)


def _weekday(which: str, weekday: int, today: date) -> tuple[date, date]:
    """ "Last Friday" is the latest before today, "this Friday" that of this week; "on Friday" too
    is the latest, today included."""
    if which == "this":
        first = today + timedelta(days=weekday - today.weekday())
    else:
        least = 1 if which == "last" else 0
        first = today - timedelta(days=(today.weekday() - weekday - least) % 7 + least)
    return first, first + timedelta(days=1)
