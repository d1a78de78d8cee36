"""Arguments checked at the door of the memory: what is wrong is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from cloudnee.errors import BadInput
from cloudnee.graph.identity import email_key, entity_key, handle_kind, phone_digits
from cloudnee.model import Alias
from cloudnee.store.store import Delivery

__all__ = [
    "checked_aliases",
    "checked_count",
    "checked_delivery",
    "checked_ids",
    "checked_recall",
    "checked_search",
    "checked_text",
    "checked_word",
]

KINDS = ("phone", "email", "name")
SCORINGS = ("exact", "wide", "scan")
MOST_HITS = 1000
MOST_HOPS = 3


def checked_text(name: str, value: object) -> str:
    """A text, refused by the argument's name where it is none."""
    if not isinstance(value, str):
        raise BadInput(f"{name} must be text, not {type(value).__name__}")
    return value


def checked_aliases(aliases: object) -> tuple[Alias, ...]:
    """Aliases with their kinds; an empty handle or an unknown kind is refused."""
    listed = aliases if isinstance(aliases, Sequence) and not isinstance(aliases, str) else (None,)
    found = [alias for alias in listed if isinstance(alias, Alias)]
    if len(found) != len(listed):
        raise BadInput(f"aliases must be a list of Alias, not {aliases!r:.80}")
    return tuple(_checked_alias(alias) for alias in found)


def _checked_alias(alias: Alias) -> Alias:
    for part in ("handle", "name", "kind"):
        checked_text(f"the {part} of an alias", getattr(alias, part))
    kind = alias.kind or handle_kind(alias.handle)
    if kind not in KINDS:
        raise BadInput(f"alias kind {alias.kind!r} is unknown: one of {', '.join(KINDS)}")
    key_of: dict[str, Callable[[str], str]]
    key_of = {"phone": phone_digits, "email": email_key, "name": entity_key}
    shows = key_of[kind](alias.handle)
    if not shows or (alias.name and not entity_key(alias.name)):
        raise BadInput(f"alias {alias.handle!r} of {alias.name!r} shows no {kind}: give one")
    return Alias(alias.handle, alias.name, kind)


def checked_ids(name: str, value: object) -> list[str]:
    """Ids without repetitions, refused by the argument's name where they are no list of texts."""
    if not isinstance(value, Collection) or isinstance(value, (str, bytes)):
        raise BadInput(f"{name} must be a list of ids, not {value!r:.80}")
    return list(dict.fromkeys(checked_text(f"each of {name}", one) for one in value))


def checked_recall(
    query: object,
    top_k: object,
    wide_k: object,
    hops: object,
    influence: object,
    scoring: object,
    tags: object,
) -> None:
    """The arguments of `recall`, refused by name with what is allowed."""
    checked_text("query", query)
    checked_count("top_k", top_k, MOST_HITS)
    checked_count("wide_k", wide_k, 4096)
    checked_count("hops", hops, MOST_HOPS)
    checked_ids("tags", tags)
    if not isinstance(influence, (int, float)) or isinstance(influence, bool):
        raise BadInput(f"feedback_influence must be a number, not {influence!r}")
    if not 0 <= influence <= 1:
        raise BadInput(f"feedback_influence must be between 0 and 1, not {influence!r}")
    if scoring not in SCORINGS:
        raise BadInput(f"scoring must be one of {', '.join(SCORINGS)}, not {scoring!r}")


def checked_search(query: object, top_k: object, tags: object) -> None:
    """The arguments of `search_pages`, refused by name with what is allowed."""
    checked_text("query", query)
    checked_count("top_k", top_k, MOST_HITS)
    checked_ids("tags", tags)


def checked_count(name: str, value: object, most: int) -> None:
    """A number of things asked for, refused by name where it is none."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise BadInput(f"{name} must be a whole number from 1 to {most}, not {value!r}")


def checked_delivery(key: object, number: object, words: object) -> Delivery | None:
    """What a note is known again by; None for one without a key."""
    checked_text("text", words)
    if key is not None:
        checked_text("key", key)
    if number is None:
        return Delivery(str(key)) if key else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << 62:
        raise BadInput(f"number must be a whole number from 0 on, not {number!r}")
    if not key:
        raise BadInput("number needs a key: the name of the run that it is of")
    return Delivery(str(key), number, str(words))


def checked_word(word: object, canonical: object) -> tuple[str, str, str]:
    """(key, word, canonical) of a taught word."""
    if not isinstance(word, str) or not isinstance(canonical, str):
        raise BadInput("a word and what it stands for must both be text")
    key = entity_key(word)
    if not key or not entity_key(canonical):
        raise BadInput(f"cannot teach {word!r} for {canonical!r}: both must show something")
    if key == entity_key(canonical):
        raise BadInput(f"{word!r} is already the same as {canonical!r}")
    return key, word.strip(), canonical.strip()
