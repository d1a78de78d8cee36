"""The passages of pages: packed rows, their vectors, and the text index over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cloudnee.store.base import OrgRows, as_json, scoped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cloudnee.pages.passages import PagePassages

__all__ = ["PLACE_BITS", "PassageRows"]

PLACE_BITS = 20  # a page of ten megabytes has fewer passages than this can count

Made = Mapping[int, "bytes | None"]


class PassageRows(OrgRows):
    """The passages of an org. Reads take `bit` or a scope: the audience is cut inside."""

    def set_passages(
        self,
        page: int,
        scope: int,
        passages: PagePassages,
        made: Made = MappingProxyType({}),
        held: Mapping[int, bytes] = MappingProxyType({}),
    ) -> None:
        """Replace a page's passages; those that say the same as before keep their vectors.

        `made` are the vectors of others: float32, or None where the model cannot read a text;
        `held` those that an export held, as `passage_vectors` gives them.
        """
        kept = {**held, **self.passage_vectors(page)}
        self.drop_passages(page)
        vectors, scales = _packed(passages.keys, kept, made)
        many = len(passages.keys)
        self.db.run(
            "put_passages",
            page=page,
            scope=scope,
            title=passages.title,
            short=passages.short,
            many=many,
            terms=passages.terms,
            packed=passages.packed,
            headings="\n".join(passages.headings),
            speakers="\n".join(passages.speakers),
            vectors=vectors,
            scales=scales,
        )
        self.index_passages(page, scope, passages)
        self._add_mentions(page, passages.names)
        if many:
            self.db.run("size_scope", scope=scope, passages=many, terms=passages.terms)

    def index_passages(self, page: int, scope: int, passages: PagePassages) -> None:
        """Put a page's passages in the text index, where it has none of them."""
        rows = [
            (_passage_id(page, place), scoped(scope, words))
            for place, words in enumerate(passages.indexed)
        ]
        self.db.many("add_passage_terms", rows)

    def drop_passages(self, page: int) -> None:
        """Delete a page's passages."""
        row = self.db.row("passages_of", page=page)
        if row is None:
            return
        scope, many, count = row[:3]
        if many:
            self.db.run("size_scope", scope=scope, passages=-many, terms=-count)
            ends = {"first": _passage_id(page, 0), "last": _passage_id(page, many - 1)}
            self.db.run("drop_passage_terms", **ends)
        self.db.run("drop_passages", page=page)
        self.db.run("drop_mentions", page=page)

    def _add_mentions(self, page: int, found: Sequence[tuple[int, str, int]]) -> None:
        """Keep those of the names found in a page's passages that other pages know.

        (place of the passage, key of the name, its line) of each.
        """
        if found:
            self.db.run("add_mentions", org=self.org, page=page, found=as_json(list(found)))

    def mentions_in(self, passages: Sequence[tuple[int, int]], bit: int) -> set[str]:
        """The keys of the names that passages (page, place) mention."""
        rows = self.db.rows("mentions_in", passages=as_json(list(passages)), bit=bit)
        return {row[0] for row in rows}

    def mentioning(self, key: str, bit: int, most: int) -> list[int]:
        """The passages that mention a name by its key, `most` at most."""
        rows = self.db.rows("mentioning", org=self.org, key=key, bit=bit, most=most)
        return [_passage_id(page, place) for page, place in rows]

    def every_mention(self, bit: int) -> list[tuple[int, str, str, int]]:
        """(subject of a page, key it mentions, path, line) of all that the audience sees."""
        return self.db.rows("every_mention", org=self.org, bit=bit)

    def passage_vectors(self, page: int) -> dict[int, bytes]:
        """key → scale and int8 vector, of the passages of a page that have been embedded."""
        row = self.db.row("passages_of", page=page)
        if row is None or not row[4]:
            return {}
        _, many, _, packed, vectors, scales = row
        size, width = len(packed) // many, len(vectors) // many
        found = {}
        for i in range(many):
            key = int.from_bytes(packed[size * (i + 1) - 8 : size * (i + 1)], "little")
            found[key] = scales[4 * i : 4 * i + 4] + vectors[width * i : width * (i + 1)]
        return found

    def embed_passages(self, page: int, keys: Sequence[int], made: Made) -> None:
        """Give the passages of a page, which have these keys in order, their vectors."""
        vectors, scales = _packed(keys, self.passage_vectors(page), made)
        self.db.run("set_passage_vectors", page=page, vectors=vectors, scales=scales)

    def touch_passages(self, page: int) -> None:
        """Note that something about a page's passages changed that stands with the page."""
        self.db.run("touch_passages", page=page)

    def passages_since(self, revision: int) -> list[tuple[Any, ...]]:
        """The passages rows written after a revision, for a copy in memory, whoever may see them.

        (page, seen_by, own_date, tags, many, packed, headings, speakers, vectors, scales).
        """
        return self.db.rows("passages_since", org=self.org, revision=revision)

    def passages_lacking(self) -> list[tuple[int, str]]:
        """(page, path) of the pages whose passages have no vectors yet."""
        return self.db.rows("passages_lacking", org=self.org)

    # the text index

    def passages_holding(self, scopes: Iterable[int], term: str) -> int:
        """How many passages of these scopes hold a term."""
        rows = (self.db.row("passages_holding", term=f"{scope}:{term}") for scope in scopes)
        return sum(int(row[0]) for row in rows if row)

    def postings(
        self, scopes: Iterable[int], term: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(passages, places) of each time a term stands in these scopes."""
        import numpy as np

        rows = [self.db.row("passage_postings", term=f"{scope}:{term}") for scope in scopes]
        held = [row for row in rows if row and row[0]]
        docs = [np.fromstring(row[0], np.int64, sep=",") for row in held]
        places = [np.fromstring(row[1], np.int64, sep=",") for row in held]
        none = np.empty(0, np.int64)
        return np.concatenate([none, *docs]), np.concatenate([none, *places])

    def passages_with(self, scopes: Iterable[int], words: Sequence[str], most: int) -> list[int]:
        """The passages of these scopes that hold terms one after the other, `most` at most."""
        found: list[int] = []
        for scope in scopes:
            phrase = " ".join(f"{scope}:{word}" for word in words).replace('"', "")
            rows = self.db.rows("passages_with_words", words=f'"{phrase}"', most=most)
            found.extend(row[0] for row in rows)
        return found[:most]

    # pages

    def passage_texts(
        self, spans: Sequence[tuple[int, int, int]], bit: int
    ) -> dict[int, tuple[str, str]]:
        """place in `spans` → (path, text) of parts (page, start, stop) that the audience sees."""
        rows = self.db.rows("passage_texts", spans=as_json(list(spans)), bit=bit)
        return {place: (path, text) for place, path, text in rows}

    def pages_titled(self, keys: Iterable[str], bit: int) -> list[tuple[str, int, bool]]:
        """(key, page, whether it is the whole title) of the pages that are called so."""
        rows = self.db.rows("pages_titled", org=self.org, keys=as_json(list(keys)), bit=bit)
        return [(key, page, bool(whole)) for key, page, whole in rows]

    def stale_lines(self, pages: Iterable[int], bit: int) -> set[tuple[int, int]]:
        """(page, line) of the lines that state only what is not current for the audience."""
        rows = self.db.rows("stale_lines", pages=as_json(sorted(set(pages))), bit=bit)
        return {(page, line) for page, line in rows}

    def pages_about(self, entities: Iterable[int], bit: int) -> list[tuple[int, int]]:
        """(entity, page) of the pages whose subject is one of these entities."""
        return self.db.rows("pages_about", entities=as_json(list(entities)), bit=bit)


def _passage_id(page: int, place: int) -> int:
    """The row of a passage in the text index: its page and its place there, counted from 0."""
    return page << PLACE_BITS | place


def _packed(keys: Sequence[int], kept: Mapping[int, bytes], made: Made) -> tuple[bytes, bytes]:
    """(vectors, scales) of passages in order; nothing where one of them has none yet."""
    if not keys or any(key and key not in kept and key not in made for key in keys):
        return b"", b""
    rows = {key: _small(made[key]) for key in set(keys) if made.get(key) is not None}
    width = len(next(iter(rows.values()), None) or next(iter(kept.values()), b"\0" * 5))
    found = [rows.get(key) or kept.get(key) or bytes(width) for key in keys]
    return b"".join(row[4:] for row in found), b"".join(row[:4] for row in found)


def _small(vector: bytes | None) -> bytes:
    """A float32 vector as a scale and int8 numbers."""
    import numpy as np

    held = np.frombuffer(vector or b"", np.float32)
    scale = np.float32(max(float(np.abs(held).max(initial=0)), 1e-9) / 127)
    return bytes(scale.tobytes() + np.rint(held / scale).astype(np.int8).tobytes())
