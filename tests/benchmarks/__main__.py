"""python -m tests.benchmarks [--pages N ...] [--data DIR]: one table in Markdown, one JSON file.

Grows one desk through the sizes given and measures at each. Times are milliseconds, p50 / p95 /
p99; the embedder is a stub, so that the model's cost is apart: only cold starts load it.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import tempfile
import time
from pathlib import Path

from cloudnee import Memory
from tests.benchmarks import clock, cold, desk, plot

SIZES = (100, 1_000, 10_000, 20_000)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--pages", type=int, nargs="+", default=list(SIZES), metavar="N")
    parser.add_argument("--data", type=Path, help="a folder for the database, JSON and plot")
    parser.add_argument("--runs", type=int, default=200, help="calls of each kind")
    parser.add_argument("--no-cold", action="store_true", help="leave out process starts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as held:
        folder = options.data or Path(held)
        folder.mkdir(parents=True, exist_ok=True)
        results = measured(
            folder, sorted(options.pages), options.runs, cold_too=not options.no_cold
        )
        print(table(results))
        if options.data:
            (folder / "bench.json").write_text(json.dumps(results, indent=1, default=plain))
            (folder / "growth.svg").write_text(plot.growth(results["sizes"]))


def measured(folder: Path, sizes: list[int], runs: int, *, cold_too: bool) -> dict[str, object]:
    """Everything, at each size."""
    file = folder / "bench.db"
    for old in folder.glob("bench.db*"):
        old.unlink()
    results: dict[str, object] = {"machine": machine(folder), "sizes": []}
    with Memory.open(file, org="desk", embedder=desk.WordEmbedder(), region="SG") as memory:
        done = 0
        for size in sizes:
            found = at_size(memory, done, size, runs)
            found["bytes_per_edge"] = file.stat().st_size / (5 * size)
            if cold_too:
                found |= cold.starts(file, size)
            results["sizes"].append(found)  # type: ignore[attr-defined]
            print(f"{size} pages: done", file=sys.stderr)
            done = size
    return results


def machine(folder: Path) -> dict[str, object]:
    """What it ran on, and how fast that is just now."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "bare_python": clock.bare_python().median,
        "loop": clock.loop().median,
        "commit": clock.commit(folder).median,
    }


def at_size(memory: Memory, done: int, size: int, runs: int) -> dict[str, object]:
    """Load up to a size, then measure each verb."""
    pages = list(desk.pages(done, size))
    embedder = memory._engine.embedder
    start, before = time.perf_counter(), _spent(embedder)
    memory.remember_many(pages)
    spent = time.perf_counter() - start - (_spent(embedder) - before)
    public = memory.as_audience("public")

    def at(i: int) -> int:
        return i * 7919 % size

    found: dict[str, object] = {
        "pages": size,
        "bulk_edges_per_second": 5 * len(pages) / spent,
        "read_current": clock.timed(lambda i: memory.read_current(desk.phone(at(i))), runs),
        "history": clock.timed(lambda i: memory.history(desk.name(at(i))), runs),
        "recall": clock.timed(lambda i: memory.recall(desk.question(at(i))), runs),
        "recall_public": clock.timed(lambda i: public.recall(desk.question(at(i))), runs),
    }
    fresh = 9_000_000 + size * 10

    def remember(n: int, amount: int | None = None) -> None:
        page = desk.page(n, amount)
        memory.remember(page.path, page.text, page.aliases)

    found["remember_new"] = clock.timed(lambda i: remember(fresh + i), runs // 2)
    found["remember_edited"] = clock.timed(lambda i: remember(fresh + i, 77 + i), runs // 2)
    found["remember_unchanged"] = clock.timed(lambda i: remember(at(2 * i)), runs // 2)
    found["commit"] = clock.commit(Path(memory._store.db.path).parent)
    found["forget"] = clock.timed(lambda i: memory.forget(path=desk.path(fresh + i)), runs // 2)
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def _spent(embedder: object) -> float:
    return float(getattr(embedder, "spent", 0.0))


ROWS = (
    ("read_current", "read_current by phone"),
    ("history", "history"),
    ("recall", "recall, stub embedder"),
    ("recall_public", "recall, a public that sees 1 %"),
    ("remember_new", "remember, new page"),
    ("remember_edited", "remember, edited page"),
    ("remember_unchanged", "remember, unchanged page"),
    ("commit", "one FULL commit, same disk"),
    ("forget", "forget a page"),
    ("cold_current", "cold `cloudnee current PHONE`"),
    ("cold_recall", "cold `cloudnee recall`, real model"),
    ("model_alone", "a process that only loads the model and embeds one text"),
    ("import_cloudnee", "cold `import cloudnee`"),
    ("bulk_edges_per_second", "bulk load, edges a second"),
    ("bytes_per_edge", "bytes per edge, all included"),
    ("peak_mb", "peak memory so far, MB"),
)


def table(results: dict[str, object]) -> str:
    """The results as Markdown."""
    sizes: list[dict[str, object]] = results["sizes"]  # type: ignore[assignment]
    rules = "|---|" + "---|" * len(sizes)
    lines = ["| ms, p50 / p95 / p99 | " + " | ".join(f"{s['pages']:,} pages" for s in sizes) + " |"]
    lines.append(rules)
    for key, title in ROWS:
        if any(key in size for size in sizes):
            cells = (_cell(size.get(key)) for size in sizes)
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    described = ", ".join(
        f"{key.replace('_', ' ')} {_cell(value)}"
        for key, value in results["machine"].items()  # type: ignore[attr-defined]
    )
    return "\n".join([*lines, "", f"Machine: {described} (times in ms)."])


def plain(times: object) -> dict[str, float]:
    """Times as JSON."""
    if not isinstance(times, clock.Times):
        raise TypeError(f"{type(times).__name__} is not JSON")
    return {"p50": times.median, "p95": times.at(0.95), "p99": times.at(0.99)}


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return "" if value is None else str(value)


if __name__ == "__main__":
    main()
