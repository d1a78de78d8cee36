"""An export taken back in: the same ids, dates, history, scores, ratings and tombstones.

Pages are taken in batches, each whole, in their old order; broken off, the next run goes on. What
cannot be taken is named, and the rest is done.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cloudnee.errors import BadInput, CloudneeError, StoreError
from cloudnee.flows.archive import Source, opened_source
from cloudnee.flows.contradicting import judged_anew
from cloudnee.flows.exported import head_of, rule_of, storable, timed
from cloudnee.flows.exporting import VERSION
from cloudnee.flows.remembering import TOGETHER, Remembering
from cloudnee.graph.facts import triplet_text
from cloudnee.graph.identity import folded_key
from cloudnee.model import Imported, NewPage
from cloudnee.pages.page import parse_page
from cloudnee.pages.passages import page_passages
from cloudnee.pages.path import canonical_path
from cloudnee.pages.terms import terms
from cloudnee.store.folders import GONE
from cloudnee.store.merging import Merging
from cloudnee.store.moving import Moving
from cloudnee.store.vectors import FACT, NAME, PASSAGE

__all__ = ["restore"]

# What reading a line of another shape ends with: each transaction it was in is undone.
_MISSHAPEN = (LookupError, TypeError, ValueError, AttributeError, OverflowError)
Row = dict[str, Any]
Text = tuple[int, str]


def restore(remembering: Remembering, file: Path) -> Imported:
    """Take an export into an org that holds nothing else; the owner only."""
    remembering.caller.owner_only("import")
    source = opened_source(file)
    try:
        return _Restoring(remembering, source, file).run()
    except CloudneeError:
        raise
    except _MISSHAPEN as error:
        raise BadInput(
            f"{file} is not an export as cloudnee writes it ({error!r:.200}): export anew, or "
            "import its pages/ as a folder"
        ) from error
    finally:
        source.close()


class _Restoring:
    def __init__(self, remembering: Remembering, source: Source, file: Path) -> None:
        self.remembering = remembering
        self.caller = remembering.caller
        self.store = remembering.store
        self.engine = remembering.engine
        self.moving = Moving(remembering.store)
        self.source = source
        self.file = file
        self.left: list[tuple[str, str]] = []
        self.changed: list[NewPage] = []
        self.pages = self.unchanged = self.facts = 0

    def run(self) -> Imported:
        """Begin or go on; then the pages in batches; then ratings, and pages edited since."""
        head = self._checked_head()
        self.offsets = self._begin(head)
        self.passages: dict[int, bytes] = {}
        self.made: dict[int, bytes | None] = {}
        self.vectors = self._vectors(head)
        self.entities = {row["id"]: row for row in self._lines("entities.jsonl")}
        batch: list[Row] = []
        for page in self._lines("pages.jsonl"):
            if self._due(page):
                batch.append(page)
            if len(batch) == TOGETHER:
                self._take(batch)
                batch = []
        self._take(batch)
        with self.store.writing():
            self._merges()
            for rating in self._lines("ratings.jsonl"):
                self.moving.add_rating(**{**rating, "n": self._row("ratings", rating["n"])})
            self._contradictions(head.get("contradictions") or ())
            self.store.next_generation()
        self._read_changed()
        return Imported("cloudnee", self.pages, self.unchanged, self.facts, tuple(self.left))

    def _contradictions(self, listed: Iterable[Row]) -> None:
        """What a model said can't both be true, of the facts that came along."""
        losers: list[int] = []
        for one in listed:
            try:
                ends = [self.store.edge_row(str(one[end])) for end in ("loser", "winner")]
                reason, made_at = str(one["reason"]), int(one["made_at"])
            except (KeyError, TypeError, ValueError):
                self.left.append(("memory.json", "a contradiction that is not of the form"))
                continue
            if ends[0] is not None and ends[1] is not None:
                self.store.add_contradiction(ends[0], ends[1], reason, made_at)
                losers.append(ends[0])
        if losers:
            judged_anew(self.caller.writer(), losers)

    # beginning

    def _checked_head(self) -> Row:
        head = head_of(self.source)
        if head is None:
            raise BadInput(f"{self.file} is no export of cloudnee: it has no memory.json of one")
        if head["version"] > VERSION:
            raise BadInput(
                f"{self.file} is an export of version {head['version']}; this cloudnee reads "
                f'{VERSION}: run "pip install --upgrade cloudnee"'
            )
        return head

    def _begin(self, head: Row) -> dict[str, int]:
        """Make the org what the export says and set its row ids apart, once for each export."""
        with self.store.writing():
            self.caller.found()
            key = f"import {self.store.org}"
            held = json.loads(self.store.meta(key) or "{}")
            if held.get("id") == head["id"]:
                offsets: dict[str, int] = held["offsets"]
                return offsets
            pages = self.moving.holds_pages()
            if pages:
                raise BadInput(
                    f"org {self.store.org_name!r} holds {pages} pages already: import into a new "
                    "org or file; single pages can be remembered from the export's pages/"
                )
            if "secret" in head:
                rules = [rule_of(audience) for audience in head["audiences"]]
                self.store.set_audiences(rules)
                self.moving.begin(head)
            offsets = self.moving.reserve(head["last"])
            self.store.set_meta(key, json.dumps({"id": head["id"], "offsets": offsets}))
        self.store.refresh()
        return offsets

    def _vectors(self, head: Row) -> dict[Text, bytes | None]:
        """The vectors of the export, where the same model made them."""
        embedder = self.engine.embedder
        if (head["model"], head["dimensions"]) != (embedder.model, str(embedder.dimensions)):
            return {}
        found: dict[Text, bytes | None] = {}
        for line in self.source.lines("vectors.jsonl"):
            try:
                kind, text, packed = json.loads(line)
                vector = base64.b64decode(packed, validate=True) if packed is not None else None
                if kind == PASSAGE:
                    self._passage_vector(int(text), vector, embedder.dimensions)
                    continue
            except (ValueError, TypeError):
                self.left.append(("vectors.jsonl", "a line that is not of the form: embedded anew"))
                continue
            if vector is None or len(vector) == 4 * embedder.dimensions:
                found[(kind, text)] = vector
        return found

    def _passage_vector(self, key: int, vector: bytes | None, dimensions: int) -> None:
        if vector is not None and len(vector) == 4 + dimensions:
            self.passages[key] = vector

    def _lines(self, name: str) -> Iterator[Row]:
        for number, line in enumerate(self.source.lines(name), 1):
            try:
                row = json.loads(line)
                if not isinstance(row, dict) or not storable(row):
                    raise ValueError
                row = timed(row)
            except (ValueError, TypeError, OverflowError):
                self.left.append((f"{name}, line {number}", "not a line of an export"))
                continue
            yield row

    def _row(self, table: str, n: int) -> int:
        return n + self.offsets[table]

    # pages

    def _due(self, page: Row) -> bool:
        """Whether a page is still to be taken, and can be; its text is read."""
        try:
            path = canonical_path(page["path"])
            if self.store.page(path) is not None:
                self.unchanged += 1
                return False
            page["text"] = self._text(page)
            if page["text"]:
                parse_page(path, page["text"])
        except CloudneeError as error:
            self.left.append((str(page.get("path")), str(error)))
            return False
        except KeyError as error:
            self.left.append((str(page.get("path", "pages.jsonl")), f"its line has no {error}"))
            return False
        return True

    def _text(self, page: Row) -> str:
        if page["status"] == GONE:
            return ""
        data = self.source.read(f"pages/{page['path']}")
        if data is None and "text" not in page:
            raise BadInput("its file is missing in the export")
        try:
            return data.decode("utf-8") if data is not None else str(page["text"])
        except UnicodeDecodeError as error:
            raise BadInput(f"its file is not UTF-8 text at byte {error.start}") from error

    def _take(self, batch: list[Row]) -> None:
        """Put a batch of pages in the file, all or none."""
        if not batch:
            return
        wanted = dict.fromkeys(text for page in batch for text in _texts(page))
        lacking = [text for text in self.engine.vectors.lacking(wanted) if text not in self.vectors]
        made = self.engine.embedded([text for _, text in lacking])
        vectors = {**self.vectors, **dict(zip(lacking, made, strict=True))}
        self._embed_passages(batch)
        with self.store.writing():
            for page in batch:
                self._attempt(page, vectors)
            self.store.next_generation()

    def _embed_passages(self, batch: list[Row]) -> None:
        """Cut the pages, and embed the passages that the export has no vector for."""
        lacking: dict[int, str] = {}
        for page in batch:
            if page["text"]:
                parsed = parse_page(page["path"], page["text"])
                page["passages"] = found = page_passages(parsed, page["subject"])
                lacking.update(found.lacking(self.passages))
        made = self.engine.embedded(list(lacking.values()))
        self.made = dict(zip(lacking, made, strict=True))

    def _attempt(self, page: Row, vectors: Mapping[Text, bytes | None]) -> None:
        try:
            with self.store.savepoint():
                self._page(page, vectors)
        except (KeyError, TypeError, StoreError) as error:
            self.left.append((page["path"], f"its line is not of an export: {error!r:.200}"))
            return
        self.pages += 1
        self.facts += len(page.get("facts", ()))

    def _page(self, page: Row, vectors: Mapping[Text, bytes | None]) -> None:
        writer = self.caller.writer()
        path, text = page["path"], page["text"]
        row, mask = self._row("pages", page["n"]), writer.mask(path)
        scope, revision = self.store.scope(mask), self.store.next_revision()
        parsed = parse_page(path, text) if text else None
        hashed = hashlib.sha256(text.encode("utf-8")).hexdigest()
        values = {**_PAGE, **{key: page[key] for key in _PAGE if key in page}}
        if hashed != page["hash"]:
            values["status"], values["reason"] = "pending", "changed since the export"
            self.changed.append(NewPage(path, text))
        entity = page.get("entity")
        self.moving.add_page(
            **values,
            n=row,
            path=path,
            text=text,
            hash=hashed,
            entity=self._entity(entity) if entity else None,
            tags="\n".join(parsed.tags) if parsed else "",
            scope=scope,
            seen_by=mask,
        )
        if parsed:
            self.store.set_passages(row, scope, page["passages"], self.made, self.passages)
        for name in page.get("names", ()):
            self._name(name, page=row, scope=scope)
        for alias in page.get("aliases", ()):
            self._alias(alias, page=row, scope=scope)
        texts: set[int] = set()
        for fact in page.get("facts", ()):
            texts.update(self._fact(fact, page=row, scope=scope, seen_by=mask, revision=revision))
        for changed in writer.judge(self.store.stated_of_page(row), revision):
            texts.update(self.store.edge_texts(changed))
        writer.vectors.settle(texts, vectors, revision)

    def _entity(self, eid: str) -> int:
        """The row of an entity, made when the first page names it."""
        known = self.store.entity_by_eid(eid)
        if known is not None:
            return known
        entity = {"word": "", "also": [], **self.entities[eid]}
        row = self._row("entities", entity["n"])
        self.moving.add_entity(row, folded_key(entity["key"]), entity)
        return row

    def _name(self, name: Row, **place: int) -> None:
        values = {"type": "", **name, "n": self._row("names", name["n"])}
        self.moving.add_name(**{**values, "entity": self._entity(name["entity"])}, **place)

    def _alias(self, alias: Row, **place: int) -> None:
        values = {"name": "", **alias, "n": self._row("aliases", alias["n"])}
        keys = values.pop("keys")
        self.moving.add_alias(keys, **{**values, "entity": self._entity(alias["entity"])}, **place)

    def _fact(self, fact: Row, **place: int) -> tuple[int, int, int]:
        """Insert one interval; gives its three texts."""
        values = {
            "retired_at": None,
            "ended": "",
            "quote": "",
            **fact,
            "n": self._row("edges", fact["n"]),
        }
        source, target = values.pop("source_name"), values.pop("target_name")
        words = triplet_text(source, fact["relation"], target)
        wanted = [(NAME, source), (NAME, target), (FACT, words)]
        ids = self.engine.vectors.text_ids(wanted, place["revision"])
        values["source"] = self._entity(fact["source"])
        values["target"] = self._entity(fact["target"])
        shown = tuple(ids[text] for text in wanted)
        values.update(source_text=shown[0], target_text=shown[1], text=shown[2])
        values["current_for"] = place["seen_by"] if values["retired_at"] is None else 0
        self.moving.add_fact(" ".join(terms(words)), **values, **place)
        return shown[0], shown[1], shown[2]

    def _merges(self) -> None:
        held = {merge.number for merge in Merging(self.store).merges()}
        for merge in self._lines("merges.jsonl"):
            row = self._row("merges", merge["n"])
            if row not in held:
                self.moving.add_merge(**{"said": [], "word": "", **merge, "n": row})

    def _read_changed(self) -> None:
        """Read the files that were edited or added since the export."""
        for page in self.changed:
            self.left.append((page.path, "its file was changed since the export: read anew"))
        known = set(self.store.all_paths())
        for name in self.source.names("pages"):
            if name not in known and not any(name == path for path, _ in self.left):
                self._added(name)
        self.remembering.many(self.changed)

    def _added(self, name: str) -> None:
        try:
            data = self.source.read(f"pages/{name}") or b""
            self.changed.append(NewPage(canonical_path(name), data.decode("utf-8")))
            self.left.append((name, "was added to the export by hand: read as a new page"))
        except (UnicodeDecodeError, CloudneeError) as error:
            self.left.append((name, str(error)))


_PAGE: Row = {
    "read": "", "reading": "", "status": "", "reason": "", "subject": "", "subject_key": "",
    "own_date": None, "as_of": 0, "waiting": "", "origin": "", "synced": "", "conflict": "",
    "created_at": 0, "updated_at": 0,
}  # fmt: skip
_FACT: Row = {"retired_at": None, "ended": "", "quote": ""}


def _texts(page: Row) -> Iterator[Text]:
    """The texts of the facts that a page states."""
    for fact in page.get("facts", ()):
        if "retired_at" not in fact:
            source, target = fact["source_name"], fact["target_name"]
            yield NAME, source
            yield NAME, target
            yield FACT, triplet_text(source, fact["relation"], target)
