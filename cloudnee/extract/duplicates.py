"""Whether two notes say the same thing.

Refused is only what has the same words, order and punctuation aside; nearness of vectors is a
proposal for a person ("left unit leaks" and "right unit leaks" have a cosine of .97). Where a
number, a date, a name or a negation differs, two notes are two.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

__all__ = ["NEAR", "folded_words", "may_be_merged", "near_pairs", "same_note", "standing_note"]

NEAR = 0.85  # cosine from which two notes of one subject are shown as a possible pair

_NEGATIONS = frozenset(
    "no not never none nor without cannot neither nobody nothing don't doesn't didn't isn't aren't "
    "wasn't weren't won't can't couldn't shouldn't wouldn't hasn't haven't hadn't refuses stop "
    "stopped cancel cancelled except".split()
)
_OPPOSED = (
    frozenset({"left", "right"}),
    frozenset({"front", "back", "rear"}),
    frozenset({"upper", "lower"}),
    frozenset({"upstairs", "downstairs"}),
    frozenset({"in", "out"}),
    frozenset({"on", "off"}),
    frozenset({"before", "after"}),
    frozenset({"am", "pm"}),
    frozenset({"morning", "afternoon", "evening", "night"}),
    frozenset({"mornings", "afternoons", "evenings", "nights"}),
    frozenset({"north", "south", "east", "west"}),
    frozenset({"more", "less"}),
    frozenset({"old", "new"}),
    frozenset({"first", "second", "third", "last"}),
    frozenset({"hot", "cold"}),
    frozenset({"open", "closed"}),
)


def folded_words(text: str) -> Counter[str]:
    """The words of a text with their counts: case, order and punctuation aside, signs of numbers
    and marks of words (`-5`, `€160`, `C++`) kept."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return Counter(word for piece in folded.split() if (word := _stripped(piece)))


def _stripped(piece: str) -> str:
    bare = piece.strip("\"'`“”‘«»()[]{}<>*_~.,;:!?…。、，；：！？—–|")
    return bare if any(letter.isalnum() for letter in bare) else _pictures(bare)


def _pictures(text: str) -> str:
    # What is neither letter nor punctuation says something: 🙂 is not 🙁.
    return "".join(c for c in text if unicodedata.category(c)[0] == "S")


def same_note(one: str, other: str) -> bool:
    """Whether two notes have the same words, whatever their order, case and punctuation."""
    return folded_words(one) == folded_words(other)


def standing_note(new: str, standing: Iterable[tuple[str, str]]) -> str | None:
    """The id of the first standing note, of (id, text) pairs, that says the same as a new one."""
    words = folded_words(new)
    return next((id_ for id_, text in standing if words and folded_words(text) == words), None)


def may_be_merged(one: str, other: str) -> bool:
    """Whether nothing that differs between two notes speaks against their being one.

    A number, date, name (a word with a capital inside a sentence) or negation that only one of
    them has does, and so do opposed words: left and right, mornings and evenings.
    """
    left, right = folded_words(one), folded_words(other)
    apart = set((left - right) + (right - left))
    if any(any(c.isdigit() for c in word) or _negates(word) for word in apart):
        return False
    if apart & (_names(one) | _names(other)):
        return False
    return not any(len(pair & set(left) ^ pair & set(right)) for pair in _OPPOSED)


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _names(text: str) -> set[str]:
    pieces = [_stripped(piece) for piece in unicodedata.normalize("NFKC", text).split()]
    inner = [piece for piece in pieces[1:] if piece[:1].isupper()]
    return {piece.casefold().replace("’", "'") for piece in inner}


def near_pairs(
    notes: Sequence[tuple[str, str]],
    cosine: Callable[[int, int], float],
) -> list[tuple[str, str, float]]:
    """Pairs of notes, of (id, text), that may say the same: (id, id, cosine), the nearest first.

    `cosine(i, j)` compares two of them by their place; same words count as 1 and need no vector.
    """
    found: list[tuple[str, str, float]] = []
    for i, (one, text) in enumerate(notes):
        for j in range(i + 1, len(notes)):
            other, against = notes[j]
            near = 1.0 if same_note(text, against) else cosine(i, j)
            if near >= NEAR and may_be_merged(text, against):
                found.append((one, other, near))
    return sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))
