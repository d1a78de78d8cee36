"""The verbs `serve` and `key`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cloudnee.doors.cli_answer import DONE, NOTHING, Answer
from cloudnee.doors.cli_open import chosen, opened
from cloudnee.doors.cli_parse import UsageError
from cloudnee.doors.cli_tables import clean, table
from cloudnee.errors import BadInput

if TYPE_CHECKING:
    from cloudnee.store.keys import Key, Keys

__all__ = ["key", "serve"]


def serve(args: Namespace) -> Answer:
    """Serve until stopped."""
    from importlib.util import find_spec

    if not (find_spec("fastapi") and find_spec("uvicorn")):
        raise BadInput('serve needs two libraries: pip install "cloudnee[serve]"')
    from cloudnee.doors.cli_extractor import reading
    from cloudnee.doors.http_desk import Settings
    from cloudnee.doors.http_serve import duration, listening
    from cloudnee.doors.http_serve import serve as run

    path, org = chosen(args, "db"), chosen(args, "org")
    if args.rate < 0 or not 0 <= args.port <= 65535:
        raise UsageError("--rate is 0 or more, --port 0 to 65535", "serve")
    idle = duration(args.exit_when_idle) if args.exit_when_idle else None
    reading(args)  # what is wrong with it is told now, not at the first page
    settings = Settings(
        path,
        org=org,
        audience=args.audience or "public",
        hosts=frozenset(name.casefold() for name in args.allow_host),
        rate=args.rate,
        ontology=args.ontology,
        extractor=lambda: reading(args).extractor,
        contradictions=lambda: reading(args).contradictions,
    )
    with opened(args, create=True) as memory:
        memory.as_audience(settings.audience)
    run(settings, listening(args.host, args.port), idle=idle, told=_told)
    return Answer({"stopped": True}, ())


def _told(address: str) -> None:
    print(f"cloudnee: {address}/brain is the graph page; Ctrl-C stops", file=sys.stderr, flush=True)


def key(args: Namespace) -> Answer:
    """Make, list or revoke keys."""
    from cloudnee.store.database import Database
    from cloudnee.store.keys import Keys

    if (args.action == "revoke") != (args.number is not None):
        raise UsageError("revoke takes the number of one key, and nothing else does", "key")
    if args.action == "create":
        return _created(args)
    opened(args, create=False).close()
    database = Database(chosen(args, "db"), create=False)
    try:
        keys = Keys(database)
        return _listed(keys.all()) if args.action == "list" else _revoked(keys, args.number)
    finally:
        database.close()


def _now() -> int:
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def _created(args: Namespace) -> Answer:
    from cloudnee.store.database import Database
    from cloudnee.store.keys import Keys

    if not args.label or not args.audience:
        raise UsageError("create needs --audience and --label: as whom, and who holds it", "key")
    opened(args, create=True).close()  # refuses an audience that the org has not
    database = Database(chosen(args, "db"))
    try:
        text = Keys(database).create(
            org=chosen(args, "org"),
            audience=args.audience,
            label=args.label,
            read_only=args.read_only,
            now=_now(),
        )
    finally:
        database.close()
    return Answer({"key": text}, [text])


def _listed(keys: list[Key]) -> Answer:
    return Answer({"keys": keys}, _lines(keys), DONE if keys else NOTHING)


def _lines(keys: list[Key]) -> Iterator[str]:
    if not keys:
        yield "no keys: the server answers loopback only"
        return
    yield from table(
        [
            (
                str(one.id),
                one.label,
                one.org,
                one.audience,
                "reads" if one.read_only else "reads and writes",
                "in force" if one.revoked_at is None else "revoked",
            )
            for one in keys
        ]
    )


def _revoked(keys: Keys, number: int) -> Answer:
    if keys.revoke(number, _now()):
        return Answer({"revoked": number}, [f"key {number} is revoked"])
    line = f"no key {clean(str(number))} is in force"
    return Answer({"revoked": None}, [line], NOTHING)
