"""What a verb and its arguments are, as data."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Argument", "Verb", "arg"]


class Argument(NamedTuple):
    """One argument: what argparse is told about it, and what the reader is."""

    flags: tuple[str, ...]
    help: str
    options: dict[str, Any]

    @property
    def is_option(self) -> bool:
        """Whether it is given by name, with dashes."""
        return self.flags[0].startswith("-")

    @property
    def takes_value(self) -> bool:
        """Whether the next word belongs to it."""
        return self.is_option and self.options.get("action", "append") == "append"


class Verb(NamedTuple):
    """One verb. `run` is "module:function", imported only when the verb is asked for.

    `makes_file`: whether it may create the database; the others ask for one that exists.
    `opens_itself`: the function takes the arguments alone and opens a memory when it needs one.
    """

    name: str
    summary: str
    about: str
    arguments: tuple[Argument, ...]
    examples: tuple[str, ...]
    run: str
    makes_file: bool = False
    opens_itself: bool = False


def arg(*flags: str, tell: str, **options: Any) -> Argument:
    """An argument: its flags or name, what it tells the reader, and argparse's options."""
    return Argument(flags, tell, options)
