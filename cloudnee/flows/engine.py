"""What the audiences of one open memory share: the file, the parts, and copies kept in memory.

Parts are made when first needed: opening a memory loads no model and reads no YAML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING

from cloudnee.errors import CloudneeError, EmbeddingFailed
from cloudnee.graph.dates import micros
from cloudnee.graph.identity import entity_key
from cloudnee.store.store import Store

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from cloudnee.config import AudienceRules
    from cloudnee.embed import Embedder
    from cloudnee.extract.base import Extractor
    from cloudnee.extract.calls import Endpoint
    from cloudnee.extract.ontology import Ontology
    from cloudnee.flows.drafting import Drafter
    from cloudnee.store.shelf import Shelf
    from cloudnee.store.snapshot import Snapshot
    from cloudnee.store.vectors import Vectors

__all__ = ["Engine"]


class Engine:
    """One org of one file, with its embedder, extractor, ontology, region, zone and clock."""

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None,
        extractor: Extractor | None,
        ontology: str | os.PathLike[str] | None,
        region: str | None,
        zone: tzinfo,
        clock: Callable[[], datetime],
        contradictions: Endpoint | None = None,
    ) -> None:
        self.store = store
        self._embedder = embedder
        self._extractor = extractor
        self._ontology = ontology
        self._region = region
        self.zone = zone
        self.clock = clock
        self.contradictions = contradictions

    @property
    def now(self) -> int:
        """Now, in microseconds since 1970."""
        return micros(self.clock())

    @property
    def _folder(self) -> Path | None:
        """The user's folder of ontology files."""
        from pathlib import Path

        return Path(self._ontology) if self._ontology is not None else None

    @cached_property
    def ontology(self) -> Ontology:
        """The relations and words in force: the user's folder over what is shipped."""
        from cloudnee.extract.ontology import load_ontology

        return load_ontology(self._folder)

    @cached_property
    def shipped_audiences(self) -> tuple[AudienceRules, ...]:
        """The audiences a new org begins with."""
        from cloudnee.config import load_audiences
        from cloudnee.extract.ontology import shipped_folder

        own = self._folder / "audiences.yaml" if self._folder else None
        return load_audiences(own if own and own.exists() else shipped_folder() / "audiences.yaml")

    @property
    def region(self) -> str | None:
        """The region whose phone numbers need no country code."""
        return self._region or self.ontology.region

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder given, else the one by the name of the model that made the file's vectors.

        A name that nobody knows gives the packaged one, which then says whose vectors these are.
        """
        from cloudnee.embed import default_embedder

        if self._embedder is not None:
            return self._embedder
        try:
            return default_embedder(self.store.meta("model"))
        except CloudneeError:
            return default_embedder()

    def use_embedder(self, embedder: Embedder) -> None:
        """Embed with another one from now on: the file's vectors are its by now."""
        self._embedder = embedder
        self.__dict__.pop("embedder", None)
        self.__dict__.pop("snapshot", None)
        self.__dict__.pop("shelf", None)

    def with_embedder(self, embedder: Embedder) -> Engine:
        """The same org with another embedder, to make vectors with."""
        return Engine(
            self.store,
            embedder=embedder,
            extractor=self._extractor,
            ontology=self._folder,
            region=self._region,
            zone=self.zone,
            clock=self.clock,
        )

    def use_extractor(self, extractor: Extractor) -> None:
        """Read pages with this one from now on."""
        self._extractor = extractor
        self.__dict__.pop("drafter", None)

    @property
    def reads_by_default(self) -> bool:
        """Whether nobody chose an extractor for this memory."""
        return self._extractor is None

    @cached_property
    def drafter(self) -> Drafter:
        """What makes drafts: the extractor given, or the rules."""
        from cloudnee.extract.combined import model_of
        from cloudnee.extract.rules import RulesExtractor
        from cloudnee.flows.drafting import Drafter
        from cloudnee.store.replies import StoredReplies

        extractor = self._extractor or RulesExtractor(self.ontology)
        if model := model_of(extractor):
            model.keep_in(StoredReplies(self.store))
        return Drafter(extractor, self.ontology, self.zone, self.clock)

    @cached_property
    def vectors(self) -> Vectors:
        """The two vector indexes."""
        from cloudnee.store.vectors import Vectors

        return Vectors(self.store)

    @cached_property
    def snapshot(self) -> Snapshot:
        """The copy of the live edges for scoring."""
        from cloudnee.store.snapshot import Snapshot

        return Snapshot(self.vectors)

    @cached_property
    def shelf(self) -> Shelf:
        """The copy of the passages for page search."""
        from cloudnee.store.shelf import Shelf

        return Shelf(self.store)

    def words(self) -> dict[str, str]:
        """Key of each word that expands a question → what it stands for."""
        found = {entity_key(word): to for word, to in self.ontology.words.items()}
        found.update({entity_key(word): to for word, to in self.store.words().items()})
        return found

    @property
    def unrelated(self) -> float | None:
        """The distance from which on the model says that texts have nothing in common."""
        return getattr(self.embedder, "unrelated", None)

    def asked_vector(self, text: str) -> bytes | None:
        """The vector of a question; raises `OtherModel` where the file's are another model's."""
        self.vectors.guard(self.embedder.model, self.embedder.dimensions)
        return self.embedded([text])[0]

    def embedded(self, texts: Sequence[str]) -> list[bytes | None]:
        """Texts as float32 vectors; None where the model cannot read one.

        Raises `EmbeddingFailed` for whatever the embedder raises.
        """
        from cloudnee.embed import checked, readable

        if not texts:
            return []
        try:
            known = readable(self.embedder, texts)
            wanted = [text for text, yes in zip(texts, known, strict=True) if yes]
            rows = iter(self._rows(wanted, checked) if wanted else ())
            return [next(rows) if yes else None for yes in known]
        except CloudneeError:
            raise
        except Exception as error:  # an embedder is anybody's code: named and raised as ours
            raise EmbeddingFailed(f"{self.embedder.model}: {error}") from error

    def _rows(self, texts: Sequence[str], checked: Callable[..., Iterable[object]]) -> list[bytes]:
        vectors = self.embedder.embed(texts)
        return [
            row.tobytes()  # type: ignore[attr-defined]
            for row in checked(vectors, len(texts), self.embedder.dimensions)
        ]

    def unreadable(self, word: str) -> bool:
        """Whether the model cannot read a word."""
        from cloudnee.embed import readable

        return not readable(self.embedder, [word])[0]
