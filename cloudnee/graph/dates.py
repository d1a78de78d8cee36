"""Dates as moments: microseconds since 1970 in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from cloudnee.errors import BadInput

__all__ = ["from_micros", "micros", "moment", "now_in_utc", "zone_named"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORMS = ("%Y/%m/%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B-%d-%Y", "%d.%m.%Y")
_LAST = time(23, 59, 59, 999999)


def micros(at: datetime) -> int:
    """A datetime (naive: UTC) as microseconds since 1970."""
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def from_micros(at: int) -> datetime:
    """Microseconds since 1970 as an aware datetime in UTC."""
    return _EPOCH + timedelta(microseconds=at)


def now_in_utc() -> datetime:
    """The clock of a memory that was given none."""
    return datetime.now(UTC)


def zone_named(name: str | None) -> tzinfo:
    """The time zone of an IANA name; None is UTC. Raises `BadInput` for an unknown name."""
    if name is None or name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadInput(
            f'zone {name!r} is not an IANA time zone such as "Asia/Singapore"'
        ) from error


def moment(value: datetime | date | str, zone: tzinfo) -> int:
    """A date or time, however written, as microseconds.

    A date without a time is the end of that day in `zone`; a time without a zone is in `zone`.
    Raises `BadInput` for what is neither.
    """
    given: object = value
    if not isinstance(given, (str, date)):
        raise BadInput(f"a date must be a datetime or text such as 2026-03-16, not {given!r:.80}")
    if isinstance(value, str):
        value = _read(value)
    if isinstance(value, datetime):
        return micros(value if value.tzinfo else value.replace(tzinfo=zone))
    return micros(datetime.combine(value, _LAST, zone))


def _read(text: str) -> datetime | date:
    plain = text.strip()
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            return read(plain)
        except ValueError:
            continue
    for form in _FORMS:
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    raise BadInput(f"{text!r} is not a date: write it as 2026-03-16 or 2026-03-16T10:30+08:00")
