"""The verbs that open a door to others, as data: the servers and their keys."""

from __future__ import annotations

from cloudnee.doors.cli_verb import Argument, Verb, arg

__all__ = ["doors"]

_RUN = "cloudnee.doors.cli_serve:"


def doors(readers: tuple[Argument, ...]) -> tuple[Verb, ...]:
    """The verbs; `readers` are the options that say what reads pages."""
    return (_serve(readers), _mcp(readers), _key())


def _serve(readers: tuple[Argument, ...]) -> Verb:
    return Verb(
        "serve",
        "the HTTP API and the graph page",
        "Without any key in the file it answers loopback only, for --org and --audience "
        '(else "public"). With keys, who has one is served, as the key says. /brain is the '
        "graph page, /openapi.json tells of the API. docs/http.md has a unit for systemd.",
        (
            arg("--host", metavar="ADDRESS", default="127.0.0.1", tell="where (127.0.0.1)"),
            arg("--port", metavar="N", type=int, default=8765, tell="which port (8765)"),
            arg(
                "--allow-host",
                metavar="NAME",
                action="append",
                default=[],
                tell="a name it may be called by, as behind a proxy",
            ),
            arg("--rate", metavar="N", type=int, default=0, tell="requests a minute and key"),
            arg(
                "--exit-when-idle",
                metavar="TIME",
                tell="stop when nobody has asked for so long: 30s, 10m, 1h",
            ),
            *readers,
        ),
        (
            "cloudnee serve --org coolair",
            "cloudnee serve --host 0.0.0.0 --allow-host desk.example --rate 600",
        ),
        _RUN + "serve",
        opens_itself=True,
    )


def _mcp(readers: tuple[Argument, ...]) -> Verb:
    return Verb(
        "mcp",
        "a server for agents, over stdin and stdout",
        "Speaks the Model Context Protocol: tools, resources and prompts over this memory, for the "
        "client that starts it; ends when that goes. docs/mcp.md has the lines for Claude, Cursor "
        "and VS Code. `cloudnee serve` has the same at /mcp, over HTTP.",
        (
            arg("--read-only", action="store_true", tell="offer only the tools that read"),
            arg(
                "--max-chars",
                metavar="N",
                type=int,
                default=12_000,
                tell="characters of one answer (12000)",
            ),
            arg("--debug", action="store_true", tell="log to stderr, page text included"),
            *readers,
        ),
        ("cloudnee mcp --db desk.db --org coolair", "cloudnee mcp --audience public --read-only"),
        "cloudnee.doors.cli_mcp:mcp",
        opens_itself=True,
    )


def _key() -> Verb:
    return Verb(
        "key",
        "who may come in over the network",
        "`create` prints a new key alone on one line; only its hash is kept, so it is not "
        "shown again. It opens --org as --audience and nothing more. `list` shows all keys, "
        "`revoke N` ends one at once. When a key was ever made, nobody comes in without one.",
        (
            arg(
                "action",
                metavar="create|list|revoke",
                choices=("create", "list", "revoke"),
                tell="what to do",
            ),
            arg("number", metavar="N", nargs="?", type=int, tell="which key to revoke"),
            arg("--label", metavar="WHO", tell="who holds it, for create"),
            arg("--read-only", action="store_true", tell="it changes nothing, ratings included"),
        ),
        (
            "cloudnee key create --org coolair --audience public --label website --read-only",
            "cloudnee key list",
            "cloudnee key revoke 2",
        ),
        _RUN + "key",
        opens_itself=True,
    )
