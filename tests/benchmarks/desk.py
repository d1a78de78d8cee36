"""A desk as large as asked for: one customer a page, five facts each, phones, towns as hubs."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cloudnee import Alias, NewPage

TOWNS = "Bedok Tampines Jurong Yishun Woodlands Punggol Clementi Bishan Hougang Serangoon".split()
TIMES = ("mornings", "afternoons", "evenings", "Saturdays")
RULES = ("ring the bell", "call before coming", "shoes off", "beware of the dog", "baby at home")
PUBLIC_EVERY = 100  # one page in a hundred is seen by the public


class WordEmbedder:
    """Sums of fixed random word vectors: deterministic, near where words are shared, and cheap."""

    model = "words-384"
    dimensions = 384

    def __init__(self) -> None:
        self.spent = 0.0  # seconds, so that a bulk load can be told without them

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        start = time.perf_counter()
        rows = np.stack([sum(map(_word, text.casefold().split()), _word(text)) for text in texts])
        found = np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
        self.spent += time.perf_counter() - start
        return found


@lru_cache(maxsize=500_000)
def _word(word: str) -> NDArray[np.float32]:
    digest = hashlib.blake2b(word.encode("utf-8"), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest)).standard_normal(384, dtype=np.float32)


def path(n: int) -> str:
    """Where page n stands."""
    folder = "shops" if n % PUBLIC_EVERY == 0 else "customers"
    return f"{folder}/{n:07}.md"


def phone(n: int) -> str:
    """The phone of customer n."""
    return f"+65 9{n:07}"


def name(n: int) -> str:
    """What customer n is called."""
    return f"Customer {n}"


def price(n: int) -> int:
    """What customer n was quoted first."""
    return 100 + n % 97


def page(n: int, amount: int | None = None) -> NewPage:
    """Page n: a heading, five facts and a line of prose."""
    text = (
        f"# {name(n)}\n\n"
        f"- Town: {TOWNS[n % len(TOWNS)]}\n"
        f"- Quoted price: {price(n) if amount is None else amount}\n"
        f"- Prefers: {TIMES[n % len(TIMES)]}\n"
        f"- Rule: {RULES[n % len(RULES)]}\n"
        f"- Technician: Team {n % 37}\n\n"
        f"Called on day {n % 365} about unit {n % 11}.\n"
    )
    return NewPage(path(n), text, (Alias(phone(n), name(n), "phone"),))


def pages(first: int, last: int) -> Iterator[NewPage]:
    """Pages first to last - 1; each tenth is followed by its edited self, so its price is past."""
    for n in range(first, last):
        yield page(n)
        if n % 10 == 9:
            yield page(n, price(n) + 50)


def question(n: int) -> str:
    """A question about customer n, of six kinds in turn."""
    forms = (
        "what price was quoted to {}",
        "where does {} live",
        "when does {} prefer a visit",
        "what rule does {} have",
        "which technician goes to {}",
        "{}",
    )
    return forms[n % len(forms)].format(name(n))
