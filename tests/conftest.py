"""What holds for every test: nothing outside this machine is reached."""

from __future__ import annotations

import sys
from typing import Any

from hypothesis import HealthCheck, settings

LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")


def _refuse_the_network(event: str, args: tuple[Any, ...]) -> None:
    if event != "socket.connect":
        return
    address = args[1]
    host = address[0] if isinstance(address, tuple) else ""
    if host and not str(host).startswith(LOOPBACK):
        raise PermissionError(f"a test tried to reach {host}")


sys.addaudithook(_refuse_the_network)

# No test is timed: the machine is shared, and a slow minute is no fault.
settings.register_profile("cloudnee", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cloudnee")
