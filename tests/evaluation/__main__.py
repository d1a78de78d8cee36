"""`make eval DATA=FOLDER`: page search beside BM25, vectors and their fusion, on public sets."""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloudnee import Memory, NewPage
from cloudnee.embed import default_embedder
from tests.evaluation.measure import interval, mean, recall, unique
from tests.evaluation.rivals import Rivals
from tests.evaluation.sets import SETS, Question, Set

SYSTEMS = ("bm25", "dense", "fused", "cloudnee")
HALVES = ("even", "odd")


class Kept:
    """The packaged model with vectors kept by text, so that a second run embeds nothing."""

    def __init__(self, file: Path) -> None:
        self.real = default_embedder()
        self.model, self.dimensions = self.real.model, self.real.dimensions
        self.unrelated: float | None = getattr(self.real, "unrelated", None)
        self.file = file
        self.held: dict[bytes, bytes] = pickle.loads(file.read_bytes()) if file.exists() else {}

    def readable(self, texts: Sequence[str]) -> list[bool]:
        """What the real one says."""
        judge = getattr(self.real, "readable", None)
        return list(judge(texts)) if judge else [True] * len(texts)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows."""
        keys = [blake2b(text.encode(), digest_size=16).digest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.held}
        listed = sorted(new, key=lambda key: len(new[key]))
        for start in range(0, len(listed), 64):
            part = listed[start : start + 64]
            rows = self.real.embed([new[key] for key in part])
            self.held.update((k, r.tobytes()) for k, r in zip(part, rows, strict=True))
        return np.stack([np.frombuffer(self.held[key], np.float32) for key in keys])

    def save(self) -> None:
        """Keep what is known now."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(pickle.dumps(self.held))


class Run:
    """One set with every system's ranking of it."""

    def __init__(self, data: Set, embedder: Kept, folder: Path) -> None:
        self.data = data
        self.embedder = embedder
        self.memories: dict[str, Memory] = {}
        for org, pages in data.pages.items():
            memory = Memory.open(folder / f"{data.name}.db", org=org, embedder=embedder)
            memory.remember_many([NewPage(path, text) for path, text in pages.items()])
            self.memories[org] = memory
        embedder.save()
        self.rivals = {org: Rivals(units, embedder.embed) for org, units in data.units.items()}
        self.seconds = 0.0

    def found(self, system: str, question: Question) -> tuple[list[Any], list[str]]:
        """(units, pages) in the order found."""
        if system != "cloudnee":
            return list(getattr(self.rivals[question.org], system)(question.text)), []
        self.embedder.embed([question.text])
        began = process_time()
        passages = self.memories[question.org].search_pages(question.text, top_k=100)
        self.seconds += process_time() - began
        units = (
            unit
            for p in passages
            for unit in self.data.found(question.org, p.path, p.start_line, p.end_line)
        )
        return unique(units), [str(path) for path in unique(p.path for p in passages)]

    def close(self) -> None:
        """Close the files."""
        for memory in self.memories.values():
            memory.close()


def measured(run: Run, questions: Sequence[Question], system: str) -> dict[str, list[float]]:
    """Each measure of a system, a value a question."""
    told: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        units, pages = run.found(system, question)
        for k in run.data.depths:
            told[f"R@{k}"].append(recall(units, question.gold, k))
        if run.data.name in ("hotpotqa", "2wiki", "musique"):
            for k in (5, 10):
                told[f"all@{k}"].append(float(recall(units, question.gold, k) == 1))
        if run.data.whole_pages and system == "cloudnee":
            gold = frozenset(
                path
                for (org, path, _), unit in run.data.lines.items()
                if org == question.org and unit in question.gold
            )
            told["sessions R@5"].append(recall(pages, gold, 5))
            told[f"R@5 {question.kind}"].append(recall(units, question.gold, 5))
    return told


def table(run: Run, questions: Sequence[Question], systems: Sequence[str]) -> Iterator[str]:
    """Lines of Markdown: a row a system and half."""
    rows = {
        (system, half): measured(run, [q for q in questions if q.number % 2 == place], system)
        for system in systems
        for place, half in enumerate(HALVES)
    }
    names = unique(name for values in rows.values() for name in values)
    yield f"\n## {run.data.name}: {len(questions)} questions\n"
    yield "| system | half | " + " | ".join(map(str, names)) + " |"
    yield "|---" * (2 + len(names)) + "|"
    for (system, half), values in rows.items():
        told = [f"{mean(values[str(n)]):.3f}" if str(n) in values else "" for n in names]
        yield f"| {system} | {half} | " + " | ".join(told) + " |"
        if system == "cloudnee" and len(questions) < 100:
            bounds = [interval(values[str(n)]) if str(n) in values else (0.0, 0.0) for n in names]
            spread = " | ".join(f"{low:.2f}–{high:.2f}" for low, high in bounds)
            yield f"| 95 % interval | {half} | {spread} |"


def missed(run: Run, questions: Sequence[Question], most: int) -> Iterator[str]:
    """Questions of which nothing is among the first ten, with what came first."""
    for question in questions:
        units, _ = run.found("cloudnee", question)
        if most and not recall(units, question.gold, 10):
            most -= 1
            texts = run.data.units[question.org]
            yield f"\n{question.text}"
            yield from (f"  wanted  {texts.get(u, '')[:160]!r}" for u in list(question.gold)[:2])
            yield from (f"  found   {texts.get(u, '')[:160]!r}" for u in units[:2])


def main() -> int:
    """Run the sets and print their tables."""
    parser = argparse.ArgumentParser(prog="make eval")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--sets", nargs="*", choices=list(SETS), default=list(SETS))
    parser.add_argument("--systems", nargs="*", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--limit", type=int, default=None, help="questions of each set")
    parser.add_argument("--misses", type=int, default=0, help="misses of each set to show")
    parser.add_argument("--json", type=Path, default=None, help="put the tables here too")
    kept = Path(tempfile.gettempdir()) / "cloudnee-evaluation"
    parser.add_argument("--cache", type=Path, default=kept, help="vectors of earlier runs")
    given = parser.parse_args()
    embedder = Kept(given.cache / "vectors.pickle")
    told: dict[str, list[str]] = {}
    for name in given.sets:
        with tempfile.TemporaryDirectory() as folder:
            run = Run(SETS[name](given.data / name), embedder, Path(folder))
            questions = run.data.questions[: given.limit]
            told[name] = list(table(run, questions, given.systems))
            print("\n".join(told[name]), flush=True)
            if "cloudnee" in given.systems:
                each = 1000 * run.seconds / max(1, len(questions))
                print(f"\n{each:.1f} ms of CPU a question, beside its embedding")
            print("\n".join(missed(run, questions, given.misses)), flush=True)
            run.close()
    embedder.save()
    if given.json:
        given.json.write_text(json.dumps(told, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
