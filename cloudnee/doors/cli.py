"""The command line: parses, calls `Memory`, prints.

`cloudnee current PHONE` is to answer within 60 ms of being typed: what a verb does not need is not
imported. Exit codes: 0 done; 1 nothing found, refused, failed, or `check` found something; 2 the
command line cannot be understood; 130 interrupted; 141 the reader of a pipe went away.
"""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module

from cloudnee.doors.cli_answer import DONE, NOTHING, Answer
from cloudnee.doors.cli_open import opened
from cloudnee.doors.cli_parse import UsageError, asked
from cloudnee.doors.cli_spec import Verb
from cloudnee.errors import CloudneeError

__all__ = ["main"]

USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code."""
    words = _typed() if argv is None else list(argv)
    _speak_utf8()
    try:
        code = _code(words)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_pipe()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _typed() -> list[str]:
    """The words of this process: UTF-8, whatever the locale made of them."""
    if sys.getfilesystemencoding() == "utf-8":
        return sys.argv[1:]
    return [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]]


def _code(words: list[str]) -> int:
    as_json = "--json" in words
    try:
        verb, args = asked(words)
        if verb is None or args.help:
            return _told(verb, args)
        answer = _answer(verb, args)
    except UsageError as error:
        _complain("UsageError", f"{error}\n{_way_out(error)}", as_json)
        return USAGE
    except CloudneeError as error:
        _complain(type(error).__name__, str(error), as_json)
        return NOTHING
    for line in answer.lines:
        print(line)
    return answer.code


def _way_out(error: UsageError) -> str:
    verb = f"{error.verb} " if error.verb else ""
    return f'run "cloudnee {verb}--help" for what there is'


def _told(verb: Verb | None, args: Namespace) -> int:
    from cloudnee.doors.cli_help import help_text, version

    print(version() if verb is None and not args.help else help_text(verb))
    return DONE


def _answer(verb: Verb, args: Namespace) -> Answer:
    module, _, name = verb.run.partition(":")
    run = getattr(import_module(module), name)
    if verb.opens_itself:
        return _finished(run(args), args)
    with opened(args, create=verb.makes_file) as memory:
        return _finished(run(memory, args), args)


def _finished(answer: Answer, args: Namespace) -> Answer:
    """The answer with the lines that are printed, worked out while the memory is open."""
    if not args.json:
        return answer._replace(lines=list(answer.lines))
    from cloudnee.doors.cli_json import as_json

    return answer._replace(lines=[as_json(answer.document)])


def _complain(kind: str, message: str, as_json: bool) -> None:
    if as_json:
        from cloudnee.doors.cli_json import as_json as document

        print(document({"error": kind, "message": message}), file=sys.stderr)
        return
    from cloudnee.doors.cli_tables import clean

    print(f"cloudnee: {clean(message, keep=chr(10))}", file=sys.stderr)


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _leave_pipe() -> None:
    """Python flushes stdout at exit; with the reader gone it must go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
