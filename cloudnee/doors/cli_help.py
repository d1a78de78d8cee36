"""Help for one verb or for all, and the same as Markdown for docs/command-line.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import fill, wrap

from cloudnee.doors.cli_spec import GLOBALS, VERBS, Argument, Verb

__all__ = ["errors_markdown", "help_text", "markdown", "version"]

_WIDE = 96
_LEFT = 30
_INTRO = """\
A graph memory: Markdown pages in, current facts and ranked answers out, in one SQLite file."""
_CODES = """\
Exit codes: 0 done; 1 nothing found, refused, failed, or check found something; 2 the command line
cannot be understood."""


def version() -> str:
    """The name and version of what is installed."""
    from cloudnee import __version__

    return f"cloudnee {__version__}"


def help_text(verb: Verb | None) -> str:
    """What `cloudnee --help` or `cloudnee VERB --help` prints."""
    return "\n".join(_whole() if verb is None else _of(verb))


def _whole() -> Iterator[str]:
    yield "usage: cloudnee VERB ... [options]\n"
    yield f"{_INTRO}\n"
    yield from (f"  {verb.name:<15} {verb.summary}" for verb in VERBS)
    yield "\noptions, before or after the verb:"
    yield from _told(GLOBALS)
    yield "\n" + _CODES
    yield "\ncloudnee VERB --help shows its arguments and an example. Begin with: cloudnee demo"


def _of(verb: Verb) -> Iterator[str]:
    yield f"{_usage(verb)}\n"
    yield from _summary(verb)
    if verb.arguments:
        yield "\narguments:"
        yield from _told(verb.arguments)
    yield "\noptions of every verb:"
    yield from _told(GLOBALS)
    yield "\nexamples:" if len(verb.examples) > 1 else "\nexample:"
    yield from (f"  {example}" for example in verb.examples)


def _summary(verb: Verb) -> Iterator[str]:
    yield f"{verb.summary[0].upper()}{verb.summary[1:]}."
    if verb.about:
        yield fill(verb.about, _WIDE)


def _usage(verb: Verb) -> str:
    """The form of a verb's command line, in one line or more."""
    return fill(
        " ".join([f"usage: cloudnee {verb.name}", *(_form(one) for one in verb.arguments)]),
        _WIDE,
        subsequent_indent="  ",
        break_on_hyphens=False,
    )


def _form(argument: Argument) -> str:
    given = _left(argument)
    if argument.options.get("nargs") == "+":
        return f"{given}…"
    if argument.options.get("required") or not (argument.is_option or _may_lack(argument)):
        return given
    return f"[{given}]"


def _may_lack(argument: Argument) -> bool:
    return argument.options.get("nargs") == "?"


def _left(argument: Argument) -> str:
    value = argument.options.get("metavar") or "|".join(argument.options.get("choices", ()))
    if not argument.is_option:
        return str(value)
    return " ".join(filter(None, [", ".join(argument.flags), str(value)]))


def _told(arguments: Iterable[Argument]) -> Iterator[str]:
    for argument in arguments:
        first, *others = wrap(argument.help, _WIDE - _LEFT)
        left = f"  {_left(argument)}"
        if len(left) >= _LEFT - 1:
            yield left
            left = ""
        yield f"{left:<{_LEFT}}{first}"
        yield from (" " * _LEFT + other for other in others)


def markdown() -> str:
    """The verbs as the middle part of docs/command-line.md."""
    return "\n".join(_markdown())


def errors_markdown() -> str:
    """The tree of errors as it is drawn in the source."""
    from cloudnee import errors

    tree = (errors.__doc__ or "").split("\n\n")[1]
    return f"```text\n{tree}\n```\n"


def _markdown() -> Iterator[str]:
    yield f"```text\n{help_text(None)}\n```\n"
    for verb in VERBS:
        yield f"## {verb.name}\n\n```text\n{help_text(verb)}\n```\n"
