"""What people said in a conversation, as notes; what the memory itself had said is left out."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cloudnee.doors.wording import unfenced

if TYPE_CHECKING:
    from strands.types.content import Message

__all__ = ["Said", "lines", "said"]

_LONGEST = 10_000  # characters of one note
_MOST_LINES = 30  # of one text: more of them are a document, and kept as running text
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")


class Said(NamedTuple):
    """A note from a conversation, with the key and number that it is known again by."""

    text: str
    key: str | None
    number: int | None


def said(
    messages: Sequence[Message], numbers: Sequence[int], roles: Collection[str], run: str
) -> Iterator[Said]:
    """The notes of a batch of messages in order: the text of those roles, line by line.

    A message with an id of its own is known by that; else by its number in the run. `numbers` are
    the batch's, or none.
    """
    for at, message in enumerate(messages):
        if message["role"] not in roles:
            continue
        own = message.get("tracking_id")
        number = numbers[at] if at < len(numbers) and not own else None
        text = "\n".join(block["text"] for block in message["content"] if "text" in block)
        for place, line in enumerate(lines(unfenced(text))):
            known = own or (run if number is not None else None)
            yield Said(line, _key(own is not None, known, place) if known else None, number)


def lines(text: str) -> list[str]:
    """A text as notes, one a line that says something; a block of code is one line."""
    text = text.encode("utf-8", "replace").decode().replace("\x00", "")
    rows = _CODE.sub(lambda block: " ".join(block.group().split()), text).split("\n")
    found = [" ".join(_BULLET.sub("", row, count=1).split()) for row in rows]
    told = [row for row in found if any(sign.isalnum() for sign in row)]
    if len(told) > _MOST_LINES:
        told = [" ".join(told)]
    return [part for row in told for part in textwrap.wrap(row, _LONGEST, break_on_hyphens=False)]


def _key(own: bool, known: str, place: int) -> str:
    told = f"{'message' if own else 'run'}\n{place}\n{known}"
    return hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=16).hexdigest()
