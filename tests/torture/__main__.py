"""python -m tests.torture [--folder DIR] [--most N] [--real N] [--report FILE]

Remembers every README and documentation page of the installed packages with a stub embedder, the
first `--real` of them with the real model, and writes the edges that came out for reading by eye.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import islice
from pathlib import Path

from cloudnee import Memory
from tests.benchmarks.desk import WordEmbedder
from tests.torture.pages import check, documents


def main() -> None:
    """Run it and print how many pages, facts and seconds."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--most", type=int, default=5000)
    parser.add_argument("--real", type=int, default=20)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    pages = list(islice(documents(options.folder), options.most))
    with tempfile.TemporaryDirectory() as held:
        start = time.perf_counter()
        with Memory.open(Path(held) / "a.db", org="docs", embedder=WordEmbedder()) as memory:
            edges = check(memory, pages)
            faults = memory.check()
        with Memory.open(Path(held) / "b.db", org="docs") as memory:
            check(memory, pages[: options.real])
        spent = time.perf_counter() - start
    if options.report:
        lines = (f"{p}:{n}\t{s} | {r} | {t}\n" for p, n, s, r, t in sorted(edges))
        options.report.write_text("".join(lines), "utf-8")
    print(f"{len(pages)} pages, {len(edges)} facts, {len(faults)} faults, {spent:.0f} s")


if __name__ == "__main__":
    main()
