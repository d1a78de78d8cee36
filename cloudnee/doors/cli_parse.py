"""From the words of a command line to a verb and its arguments.

Only the parser of the verb that was asked for is built. Options are put before the rest, so that
they may stand anywhere, and argparse never takes a name that begins with a dash for an option of
its own.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn

from cloudnee.doors.cli_spec import GLOBALS, VERBS, Argument, Verb

__all__ = ["Asked", "UsageError", "asked"]

_MARK = "="
_NUMBER = re.compile(r"-\d+(\.\d+)?")


class UsageError(Exception):
    """The command line cannot be understood; the text says what would be.

    `verb` is the one it speaks of, if any.
    """

    def __init__(self, message: str, verb: str = "") -> None:
        super().__init__(f"{verb}: {message}" if verb else message)
        self.verb = verb


class Asked(NamedTuple):
    """What the command line asks for. Without a verb: `help` or `version` of the whole."""

    verb: Verb | None
    args: argparse.Namespace


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def asked(words: Sequence[str]) -> Asked:
    """Read the command line. Raises `UsageError`."""
    _check_text(words)
    name, rest = _verb_word(words)
    verb = next((verb for verb in VERBS if verb.name == name), None)
    if verb is not None:
        return Asked(verb, _arguments(verb, rest))
    if name:
        raise UsageError(_unknown("verb", name, (verb.name for verb in VERBS)))
    args = argparse.Namespace(
        help=any(word in ("--help", "-h") for word in rest), version="--version" in rest
    )
    if not (args.help or args.version):
        raise UsageError("which verb?")
    return Asked(None, args)


def _check_text(words: Sequence[str]) -> None:
    for word in words:
        if any("\ud800" <= char <= "\udfff" for char in word):
            raise UsageError(f"not UTF-8 text: {word!a}")


def _verb_word(words: Sequence[str]) -> tuple[str, list[str]]:
    """The first word that is no global option, and all the others."""
    takes = {flag: argument.takes_value for argument in GLOBALS for flag in argument.flags}
    skip = False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif not word.startswith("-"):
            return word, [*words[:position], *words[position + 1 :]]
        elif word.partition("=")[0] not in takes and word != "--version":
            raise UsageError(
                f"{_unknown('option', word, takes)}; options of a verb go after the verb"
            )
        else:
            skip = takes.get(word, False)
    return "", list(words)


def _arguments(verb: Verb, words: Sequence[str]) -> argparse.Namespace:
    known = [*GLOBALS, *verb.arguments]
    ordered = _ordered(verb, known, words)
    if "--help" in ordered or "-h" in ordered:
        return argparse.Namespace(help=True)
    parser = _Parser(
        prog=f"cloudnee {verb.name}",
        add_help=False,
        allow_abbrev=False,
        # argparse formats each argument once to check it; a fixed width keeps shutil unloaded
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=100),
    )
    for argument in known:
        parser.add_argument(*argument.flags, **_marked(argument))
    try:
        args, surplus = parser.parse_known_args(ordered)
    except UsageError as error:
        raise UsageError(str(error), verb.name) from None
    if surplus:
        shown = _short(surplus[0].removeprefix(_MARK))
        raise UsageError(f"one word too many: {shown!r}: put text in quotes", verb.name)
    return args


def _marked(argument: Argument) -> dict[str, Any]:
    """What argparse is told: a value comes with the mark before it, as does a default."""
    options = dict(argument.options)
    if argument.is_option and not argument.takes_value:
        return options
    options["type"] = partial(_value, options.get("type", str))
    if isinstance(options.get("default"), str):
        options["default"] = _MARK + options["default"]
    return options


def _value(kind: Callable[[str], object], word: str) -> object:
    text = word.removeprefix(_MARK)
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise argparse.ArgumentTypeError(f"{_short(text)!r} is not {wanted}") from None


def _ordered(verb: Verb, known: Sequence[Argument], words: Sequence[str]) -> list[str]:
    """Options first, each with its value; then what is left. Every value has the mark before it,
    so that argparse takes none of them, "--" included, for something else.
    """
    flags = {flag: argument for argument in known if argument.is_option for flag in argument.flags}
    options: list[str] = []
    rest: list[str] = []
    left = iter(words)
    for word in left:
        name = word.partition("=")[0]
        if word == "--":
            rest.extend(left)
        elif name not in flags and _is_text(word):
            rest.append(word)
        elif name not in flags:
            raise UsageError(_unknown("option", name, flags) + _dash_hint(word), verb.name)
        elif word == name and flags[name].takes_value:
            options.append(f"{name}={_MARK}{_next(left, verb, name)}")
        else:
            options.append(word.replace("=", f"={_MARK}", 1))
    return [*options, *(_MARK + word for word in rest)]


def _is_text(word: str) -> bool:
    return not word.startswith("-") or word == "-" or " " in word or bool(_NUMBER.fullmatch(word))


def _next(left: Iterable[str], verb: Verb, name: str) -> str:
    for word in left:
        return word
    raise UsageError(f"{name} needs a value", verb.name)


def _dash_hint(word: str) -> str:
    return "" if word.startswith("--") else '; text that begins with a dash goes after "--"'


def _unknown(kind: str, name: str, allowed: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name[:40], list(allowed), n=1)
    return f"no {kind} {_short(name)!r}" + (f": did you mean {close[0]}?" if close else "")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
