"""The verbs that keep the record, as data: folders, who is who, moving, mending."""

from __future__ import annotations

from cloudnee.doors.cli_verb import Verb, arg

__all__ = ["KEEPING"]

_RUN = "cloudnee.doors.cli_keep:"

KEEPING = (
    Verb(
        "sync",
        "bring a folder of Markdown files and the memory together",
        "New and changed files are read; the facts of files that went are retired, their history "
        "stays. A page that was changed elsewhere since is not overwritten but listed as a "
        "conflict. Exit code 1 when there is a conflict or a file could not be read.",
        (
            arg("folder", metavar="FOLDER", tell="the folder; a file's path in it is its page's"),
            arg("--watch", action="store_true", tell="go on at each change, until Ctrl-C"),
            arg(
                "--write",
                action="store_true",
                tell="write pages made or changed elsewhere into the folder; where both changed, "
                "the page's text goes beside the file as NAME.conflict.md: delete it when merged",
            ),
            arg(
                "--force",
                action="store_true",
                tell="take the file in every conflict, and retire more than a third of the pages",
            ),
        ),
        ("cloudnee sync desk", "cloudnee sync desk --write --watch"),
        _RUN + "sync",
        makes_file=True,
    ),
    Verb(
        "merges",
        "who may be one with whom, and who was said to be",
        "Lists pairs that may be one, with the reasons; nothing merges by itself. "
        "`accept ID ID` makes the second one with the first, `reject ID ID` never lists the pair "
        "again, `split WHO PATH...` makes what these pages call WHO somebody else, `undo N` takes "
        "a merge or split back.",
        (
            arg(
                "action",
                metavar="accept|reject|split|undo",
                nargs="?",
                choices=("accept", "reject", "split", "undo"),
                tell="what to say; without it, the list",
            ),
            arg("words", metavar="ID", nargs="*", tell="ids, names or pages, or a number to undo"),
        ),
        (
            "cloudnee merges",
            'cloudnee merges accept "Mdm Tan" mrstan',
            "cloudnee merges split mrstan customers/tan-2.md",
            "cloudnee merges undo 3",
        ),
        _RUN + "merges",
    ),
    Verb(
        "backup",
        "copy the database while others use it",
        "The copy is one moment of the file, whole, and readable by you alone.",
        (arg("file", metavar="FILE", tell="the copy; an older backup there is replaced"),),
        ("cloudnee backup backups/desk.db",),
        _RUN + "backup",
    ),
    Verb(
        "export",
        "write everything to a folder or .zip file that people can read",
        "Pages stand in it as files, beside them what pages don't hold: handles, taught words, "
        "ratings, history, merges, and hashes of what was forgotten. It holds the org's secret.",
        (
            arg("file", metavar="FOLDER|FILE.zip", tell="a new folder, or a .zip file"),
            arg("--no-vectors", action="store_true", tell="smaller; an import embeds anew"),
        ),
        ("cloudnee export desk-2026-06", "cloudnee export desk.zip --no-vectors"),
        _RUN + "export",
    ),
    Verb(
        "import",
        "take in an export, or what another program keeps",
        "An export goes into an org that holds no page and gives the same answers and ids. A "
        "folder of Markdown (an Obsidian vault, basic-memory), a MEMORY.md, mem0's JSON and the "
        "MCP memory server's JSON lines become pages; none that is there is overwritten. Broken "
        "off, it goes on when run again. What could not be taken is named.",
        (
            arg("source", metavar="SOURCE", tell="a folder or file"),
            arg(
                "--format",
                choices=("cloudnee", "folder", "memory-md", "mem0", "mcp"),
                tell="what it is (else seen from it)",
            ),
            arg("--into", metavar="FOLDER", default="", tell="a folder for the pages' paths"),
        ),
        ("cloudnee import desk-2026-06", "cloudnee import vault --into vault"),
        _RUN + "import_",
        makes_file=True,
    ),
    Verb(
        "reembed",
        "make all vectors anew, as with another model",
        "All orgs of the file change at once; until then the old vectors serve. The file says "
        "which model it holds, and is opened with it from then on.",
        (
            arg(
                "--model",
                metavar="NAME",
                tell="a fastembed model such as BAAI/bge-small-en-v1.5 (else the packaged one)",
            ),
        ),
        ("cloudnee reembed --model BAAI/bge-small-en-v1.5",),
        _RUN + "reembed",
    ),
)
