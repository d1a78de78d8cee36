"""The verb `mcp`."""

from __future__ import annotations

import sys
from argparse import Namespace

from cloudnee.doors.cli_answer import Answer
from cloudnee.doors.cli_open import opened
from cloudnee.doors.cli_parse import UsageError
from cloudnee.errors import BadInput

__all__ = ["mcp"]


def mcp(args: Namespace) -> Answer:
    """Serve stdin and stdout until the client goes."""
    from importlib.util import find_spec

    if not find_spec("mcp"):
        raise BadInput('mcp needs the SDK: pip install "cloudnee[mcp]"')
    from cloudnee.doors.mcp_told import LEAST_ROOM

    if args.max_chars < LEAST_ROOM:
        raise UsageError(f"--max-chars is {LEAST_ROOM} or more", "mcp")
    if args.debug:
        _log_to_stderr()
    with opened(args, create=not args.read_only) as memory:
        from cloudnee.doors.mcp import Access, run_stdio

        run_stdio(Access(memory, read_only=args.read_only), room=args.max_chars)
    return Answer({"stopped": True}, ())


def _log_to_stderr() -> None:
    """All that the SDK and we log; stdout carries the protocol and nothing else."""
    import logging

    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
