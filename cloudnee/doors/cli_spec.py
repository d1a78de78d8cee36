"""The verbs of the command line, as data: the parser, `--help` and the docs are made from it.

A new verb is one entry in `VERBS` and one function that takes (memory, args) and gives an `Answer`.
"""

from __future__ import annotations

from cloudnee.doors.cli_spec_doors import doors
from cloudnee.doors.cli_spec_keep import KEEPING
from cloudnee.doors.cli_verb import Argument, Verb
from cloudnee.doors.cli_verb import arg as _arg

__all__ = ["GLOBALS", "VERBS", "Argument", "Verb"]


_READ = "cloudnee.doors.cli_read:"
_WRITE = "cloudnee.doors.cli_write:"
_WHO = _arg("who", metavar="WHO", tell="a phone, an e-mail address or a name, in quotes")

_READERS = (
    _arg(
        "--extractor",
        choices=("rules", "llm", "both"),
        tell="what reads the pages: rules, a language model, or both, the rules first (else "
        "CLOUDNEE_EXTRACTOR, else rules)",
    ),
    _arg("--llm-model", metavar="NAME", tell="the model (else CLOUDNEE_LLM_MODEL)"),
    _arg(
        "--llm-base-url",
        metavar="URL",
        tell="an OpenAI-compatible endpoint (else CLOUDNEE_LLM_BASE_URL, else OpenAI's own); the "
        "key is OPENAI_API_KEY",
    ),
    _arg("--llm-items", metavar="N", type=int, tell="facts in one answer at most (60)"),
    _arg("--llm-timeout", metavar="SECONDS", type=float, tell="how long one call may take (60)"),
    _arg(
        "--contradictions",
        choices=("off", "llm"),
        default="off",
        tell="llm: ask the model whether new facts contradict standing ones (off)",
    ),
    _arg("--max-calls", metavar="N", type=int, tell="stop after so many calls of the model"),
    _arg("--max-tokens", metavar="N", type=int, tell="stop after so many tokens"),
)

_REDACT = _arg("--redact", action="store_true", tell="take out what looks like a secret first")
_AS_OF = _arg("--as-of", metavar="DATE", tell="what was true on that day")
_NARROWING = (
    _arg("--after", metavar="DATE", tell='from then on: 2026-03-16, "7 days ago", "last week"'),
    _arg("--before", metavar="DATE", tell="up to then"),
    _arg(
        "--tag",
        metavar="TAG",
        action="append",
        tell="only on pages with this tag; may be given again",
    ),
    _arg("--recency", action="store_true", tell="let what is old count less"),
)

_READING = ("sync", "import")  # of the verbs that keep the record, those that read pages

GLOBALS = (
    _arg(
        "--db",
        metavar="FILE",
        tell="the database (else CLOUDNEE_DB, else cloudnee.db)",
    ),
    _arg("--org", metavar="NAME", tell='whose memory (else CLOUDNEE_ORG, else "default")'),
    _arg("--audience", metavar="NAME", tell='who asks (else "owner")'),
    _arg("--ontology", metavar="FOLDER", tell="a folder of your own relations and words"),
    _arg("--json", action="store_true", tell="print one JSON document"),
    _arg("--help", "-h", action="store_true", tell="show this help"),
)

VERBS = (
    Verb(
        "demo",
        "see it work on a small desk in two seconds",
        "Remembers the pages of an aircon servicing desk in a temporary folder, then asks: who is "
        "calling, who has an open visit, what may the website say, what was the old price. With "
        "--db the database stays there for you to ask more.",
        (),
        ("cloudnee demo", "cloudnee demo --db desk.db"),
        "cloudnee.doors.cli_demo:demo",
        opens_itself=True,
    ),
    Verb(
        "remember",
        "read Markdown pages into the memory",
        "A relative FILE is its own page path: customers/tan.md is remembered under that path, and "
        "remembering it again replaces what it said. An unchanged page costs nothing. A file that "
        "cannot be read is named, and the others are done.",
        (
            _arg("files", metavar="FILE", nargs="+", tell="Markdown files; - is standard input"),
            _arg("--path", metavar="PATH", tell="the page path, for one FILE"),
            _arg(
                "--alias",
                metavar="HANDLE=NAME",
                action="append",
                default=[],
                tell="a phone, e-mail or other name that leads to NAME; HANDLE= leads to the "
                "subject of the page",
            ),
            _arg("--as-of", metavar="DATE", tell="the date of a page that states none"),
            *_READERS,
            _arg("--dry-run", action="store_true", tell="say what a model would cost; do nothing"),
            _REDACT,
        ),
        (
            "cloudnee remember customers/*.md services/*.md",
            'cloudnee remember tan.md --alias "+65 9123 4567=Mrs Tan"',
            "cloudnee remember - --path notes/today.md --as-of 2026-06-01 < today.md",
        ),
        _WRITE + "remember",
        opens_itself=True,
    ),
    Verb(
        "note",
        "add a dated line about someone",
        "The line goes to the page notes/SUBJECT/YEAR-MONTH.md and is read like any page.",
        (
            _arg("text", metavar="TEXT", tell="what to note, in quotes"),
            _arg("--subject", metavar="NAME", required=True, tell="whom or what it is about"),
            _REDACT,
        ),
        ('cloudnee note "Prefers: afternoons" --subject "Mrs Tan"',),
        _WRITE + "note",
        makes_file=True,
    ),
    Verb(
        "current",
        "what is true now about a phone or a name",
        "By SQL alone: no model is loaded. A handle or name that leads to several people shows "
        "each apart. With --as-of: what was true on that day.",
        (_WHO, _AS_OF),
        (
            'cloudnee current "+65 9123 4567"',
            'cloudnee current "Chemical wash" --as-of 2025-06-01',
        ),
        _READ + "current",
    ),
    Verb(
        "history",
        "all that was ever stated, newest first, with why it ended",
        "Each row is one interval in which one page stated one fact: page, line, dates, and why it "
        "is not current: retired (its page says it no more), superseded (a newer value), excluded "
        "or contradicted (by another relation or holder).",
        (_WHO,),
        ('cloudnee history "Chemical wash"',),
        _READ + "history",
    ),
    Verb(
        "recall",
        "answer a question with the best facts and passages",
        "A hit's score is the sum of three parts: the smallest is the best. Only facts that are "
        "current and visible to the audience are shown.",
        (
            _arg("query", metavar="QUERY", tell="the question, in quotes"),
            _arg("--top-k", metavar="N", type=int, default=5, tell="how many hits (5)"),
            _arg(
                "--wide-k",
                metavar="N",
                type=int,
                default=100,
                tell="how many of each index are looked at with --scoring wide (100)",
            ),
            _arg(
                "--hops",
                metavar="N",
                type=int,
                default=1,
                tell="2 or 3: also chains of facts that lead further (1)",
            ),
            *_NARROWING,
            _AS_OF,
            _arg(
                "--feedback-influence",
                metavar="F",
                type=float,
                default=0.0,
                tell="how much ratings count, from 0 to 1 (0)",
            ),
            _arg(
                "--scoring",
                choices=("exact", "wide", "scan"),
                default="exact",
                tell="exact: each part has its distance; wide: only the nearest; scan: slow exact",
            ),
            _arg(
                "--subjects",
                action="store_true",
                tell="also rank who satisfies most of the question (in --json always)",
            ),
        ),
        (
            'cloudnee recall "how much is a chemical wash"',
            'cloudnee recall "who in the east wants mornings" --subjects',
            'cloudnee recall "aircon servicing" --audience public --json',
        ),
        _READ + "recall",
    ),
    Verb(
        "search",
        "find the passages of pages that answer a question",
        "Paragraphs, list items and turns as they stand on the pages, best first; what a passage "
        "mentions and what mentions it counts too. The highest score is the best.",
        (
            _arg("query", metavar="QUERY", tell="the question, in quotes"),
            _arg("--top-k", metavar="N", type=int, default=10, tell="how many passages (10)"),
            *_NARROWING,
        ),
        (
            'cloudnee search "who opens a dance studio"',
            'cloudnee search "which unit leaks" --tag work --top-k 3',
        ),
        _READ + "search",
    ),
    Verb(
        "recent",
        "the facts stated last",
        "Newest first.",
        (_arg("n", metavar="N", nargs="?", type=int, default=10, tell="how many (10)"),),
        ("cloudnee recent 20",),
        _READ + "recent",
    ),
    Verb(
        "improve",
        "rate the facts of an answer from 1 to 5",
        "Ratings wait in a queue; apply-feedback takes them in. One rating counts per fact and "
        "key: a second one under the same key replaces the first.",
        (
            _arg("ids", metavar="ID", nargs="+", tell="edge ids, as recall shows them"),
            _arg("--rating", metavar="N", type=int, required=True, tell="1 (useless) to 5"),
            _arg("--key", metavar="KEY", tell="names the answer rated, so that it counts once"),
            _arg("--implicit", action="store_true", tell="seen from behaviour: counts half"),
        ),
        ("cloudnee improve EDGE_ID --rating 5 --key answer-17",),
        _WRITE + "improve",
    ),
    Verb(
        "apply-feedback",
        "take the waiting ratings in",
        "Moves each rated fact's weight; recall --feedback-influence uses it.",
        (),
        ("cloudnee apply-feedback",),
        _WRITE + "apply_feedback",
    ),
    Verb(
        "alias",
        "teach a word: WORD means CANONICAL",
        "A question that holds WORD is asked with CANONICAL too. For a person's phone or other "
        "name use remember --alias or the page's front matter.",
        (
            _arg("word", metavar="WORD", tell="the word as people say it"),
            _arg("canonical", metavar="CANONICAL", tell="the word as the pages say it"),
        ),
        ("cloudnee alias HVAC aircon",),
        _WRITE + "alias",
        makes_file=True,
    ),
    Verb(
        "aliases",
        "the handles that lead to someone",
        "Phones, e-mail addresses and other names.",
        (_WHO, _arg("--remove", metavar="HANDLE", tell="this handle leads to WHO no more")),
        ('cloudnee aliases "Mrs Tan"', 'cloudnee aliases "Mrs Tan" --remove 91234567'),
        _READ + "aliases",
    ),
    Verb(
        "forget",
        "delete a page, one fact or a thing for good",
        "Rows, vectors, text-index entries and ratings go at once. A forgotten fact stays away "
        "until its own line changes, a forgotten page until its text does. Pages that still name "
        "a forgotten thing are listed.",
        (
            _arg("--path", metavar="PATH", tell="a page and all it stated"),
            _arg("--edge", metavar="ID", tell="one fact, by its edge id"),
            _arg("--entity", metavar="WHO", tell="someone or something, with all its facts"),
            _arg("--purge", action="store_true", tell="rewrite the file: no byte of it stays"),
        ),
        ("cloudnee forget --path customers/tan.md", 'cloudnee forget --entity "Mr Lim" --purge'),
        _WRITE + "forget",
    ),
    Verb(
        "pages",
        "the pages, with their status",
        "",
        (_arg("--read", metavar="PATH", tell="print the text of one page"),),
        ("cloudnee pages", "cloudnee pages --read services/aircon.md"),
        _READ + "pages",
    ),
    Verb(
        "retry",
        "read the pages that failed or wait",
        "What a language model answered before is kept and not paid for again.",
        _READERS,
        ("cloudnee retry", "cloudnee retry --extractor llm --llm-model gpt-5-mini --max-calls 50"),
        _WRITE + "retry",
    ),
    Verb(
        "reread",
        "read every page anew, as after a change of extractor",
        "Facts that are still read keep their dates and ratings.",
        _READERS,
        ("cloudnee reread", "cloudnee reread --extractor both --llm-model gpt-5-mini"),
        _WRITE + "reread",
    ),
    Verb(
        "duplicates",
        "notes of one subject that may say the same",
        "Listed only; a differing number, date, name or negation is never a duplicate. `duplicates "
        "merge ONE OTHER` makes one of two: the later line stays, with the other in a comment.",
        (
            _arg("action", metavar="merge", nargs="?", choices=("merge",), tell="make one of two"),
            _arg("notes", metavar="PATH:LINE", nargs="*", tell="the two notes, as listed"),
        ),
        (
            "cloudnee duplicates",
            "cloudnee duplicates merge notes/mrs-tan/2026-05.md:3 notes/mrs-tan/2026-06.md:4",
        ),
        _WRITE + "duplicates",
    ),
    Verb(
        "extractor",
        "what reads this org's pages",
        "Holds where neither --extractor nor the page's front matter says. With llm or both, pages "
        "wait while no model is named (--llm-model or CLOUDNEE_LLM_MODEL).",
        (
            _arg(
                "name",
                metavar="rules|llm|both",
                nargs="?",
                choices=("rules", "llm", "both"),
                tell="choose it",
            ),
        ),
        ("cloudnee extractor", "cloudnee extractor both"),
        _WRITE + "extractor",
        makes_file=True,
    ),
    Verb(
        "reopen",
        "let a fact be current again that a model took for contradicted",
        "The facts that --contradictions llm ended are history with the reason, never deleted.",
        (_arg("edge", metavar="EDGE", tell="the edge's id, as history shows it"),),
        ("cloudnee reopen q6jvbacfvdnsz5lg",),
        _WRITE + "reopen",
    ),
    Verb(
        "graph",
        "the graph: things, and what leads from one to another",
        "",
        (
            _arg("--out", metavar="FILE", tell="write it: .svg, .html, .json or .graphml"),
            _arg("--past", action="store_true", tell="with the facts that are no longer current"),
        ),
        ("cloudnee graph --out desk.svg", "cloudnee graph --out desk.graphml --audience public"),
        _READ + "graph",
    ),
    Verb(
        "check",
        "look for anything wrong in the database",
        "Exit code 1 when something is. With --repair it is mended, from other rows, the pages' "
        "texts and the model, and each fault is told with whether it is.",
        (_arg("--repair", action="store_true", tell="mend what is found"),),
        ("cloudnee check", "cloudnee check --repair"),
        _READ + "check",
    ),
    Verb(
        "audiences",
        "who may see and write which pages",
        "Lists the rules in force for the org; `set FILE` puts those of a YAML file in force and "
        "judges every row again.",
        (
            _arg("action", metavar="set", nargs="?", choices=("set",), tell="change the rules"),
            _arg("file", metavar="FILE", nargs="?", tell="a file like the shipped audiences.yaml"),
        ),
        ("cloudnee audiences", "cloudnee audiences set audiences.yaml"),
        _READ + "audiences",
    ),
    *(
        verb._replace(arguments=verb.arguments + _READERS) if verb.name in _READING else verb
        for verb in KEEPING
    ),
    *doors(_READERS),
)
