"""Relative dates made absolute: "last Friday" on a page of 2026-03-16 is 2026-03-13.

Only what has one meaning is replaced. "Next Friday" is left as it is: to half of its readers it is
this week's, to the other half next week's.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

__all__ = ["absolute_dates"]

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = ("a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NAMED = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
_COUNT = r"(?P<count>\d{1,3}|an?|" + "|".join(_NUMBERS[1:]) + ")"
_PATTERN = re.compile(
    r"\b(?:"
    r"(?P<beyond>the day (?:before yesterday|after tomorrow))"
    r"|(?P<named>today|tonight|yesterday|tomorrow)"
    rf"|(?P<which>last|this) (?P<weekday>{'|'.join(_DAYS)})"
    rf"|{_COUNT} (?P<ago>day|week|month|year)s? ago"
    r"|in " + _COUNT.replace("count", "later") + r" (?P<after>day|week|month|year)s?"
    r")\b",
    re.IGNORECASE,
)


def absolute_dates(text: str, day: date) -> str:
    """The text with each relative date written as YYYY-MM-DD, seen from `day`.

    "last Friday" is the latest Friday before the day, "this Friday" that of the day's own week
    (Monday to Sunday).
    """
    return _PATTERN.sub(lambda found: _day(found, day).isoformat(), text)


def _day(found: re.Match[str], day: date) -> date:
    part = {name: text.lower() for name, text in found.groupdict().items() if text}
    if beyond := part.get("beyond"):
        return day + timedelta(days=2 if "after" in beyond else -2)
    if named := part.get("named"):
        return day + timedelta(days=_NAMED[named])
    if weekday := part.get("weekday"):
        return _weekday(part["which"], _DAYS.index(weekday), day)
    if unit := part.get("ago"):
        return _moved(day, -_number(part["count"]), unit)
    return _moved(day, _number(part["later"]), part["after"])


def _weekday(which: str, weekday: int, day: date) -> date:
    if which == "this":
        return day + timedelta(days=weekday - day.weekday())
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    return 1 if text in ("a", "an") else _NUMBERS.index(text) + 1


def _moved(day: date, count: int, unit: str) -> date:
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    year, month = months // 12, months % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))
