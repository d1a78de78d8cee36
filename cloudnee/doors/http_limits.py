"""How much a visitor may ask: so many requests a minute, saved up to a minute's worth."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cloudnee.doors.http_problems import Problem

__all__ = ["Limits"]


class Limits:
    """A bucket for each visitor, filled evenly. With `rate` 0 nobody is held up."""

    def __init__(self, rate: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, name: str) -> None:
        """Count a request. Raises `Problem` 429 with the seconds to wait."""
        if not self.rate:
            return
        now = self._clock()
        left, before = self._left.get(name, (float(self.rate), now))
        left = min(float(self.rate), left + (now - before) * self.rate / 60)
        if left < 1:
            self._left[name] = (left, now)
            wait = math.ceil((1 - left) * 60 / self.rate)
            raise Problem(
                429,
                "too-many-requests",
                f"{self.rate} requests a minute are allowed: wait {wait} s",
                {"Retry-After": str(wait)},
            )
        self._left[name] = (left - 1, now)
