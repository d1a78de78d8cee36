"""The long run in small: what `make soak` does for minutes, here for seconds."""

from __future__ import annotations

from tests.soak.crowd import crowd
from tests.soak.cut import cut_log
from tests.soak.kills import kill_often


def test_twenty_kills() -> None:
    """After each SIGKILL the file is what was told, with the job in hand done or not."""
    found = kill_often(20)
    assert found.losses == []
    assert found.kills == 20


def test_five_seconds_of_a_crowd() -> None:
    """Four writers and four readers: no error, whole pages only, everything told is there."""
    found = crowd(5)
    assert found.losses == []
    assert found.writes
    assert found.reads


def test_the_log_cut_after_every_frame() -> None:
    """Whatever a power cut leaves of the log, the file is as after one of the writes."""
    found = cut_log(spoil=False)
    assert found.losses == []
    assert found.states == 11
