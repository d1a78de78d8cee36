"""The graph page in headless Chromium, on a real server on loopback.

Without Chromium the tests of the page are left out, and a line says so; where .ci/run runs, which
installs it, its absence is an error.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cloudnee.doors.http_desk import Settings
from cloudnee.store.database import Database
from cloudnee.store.keys import Keys
from tests.engine.conftest import WordEmbedder
from tests.http.conftest import Client, running

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
THERE = bool(CHROMIUM and DRIVER)

collect_ignore = [] if THERE or os.environ.get("CLOUDNEE_CI") else ["test_page.py"]
if collect_ignore:
    print("no chromium and chromedriver here: the graph page is not driven", file=sys.stderr)

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --no-first-run "
    "--no-proxy-server --window-size=1400,900"
).split()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One browser for all tests of the page, with a profile of its own."""
    assert THERE, "chromium and chromedriver are needed: apt-get install chromium chromium-driver"
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    kept = {name: os.environ.pop(name) for name in list(os.environ) if "proxy" in name.lower()}
    driver = Chrome(options=options, service=Service(str(DRIVER)))
    yield driver
    driver.quit()
    os.environ.update(kept)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Starts servers on one file of this test."""
    with ExitStack() as stack:

        def started(**options: Any) -> Client:
            given: dict[str, Any] = {
                "org": "coolair", "audience": "owner", "region": "SG", "embedder": WordEmbedder(),
                **options,
            }  # fmt: skip
            settings = Settings(str(tmp_path / "desk.db"), **given)
            return Client(stack.enter_context(running(settings)))

        yield started


@pytest.fixture
def new_key(tmp_path: Path) -> Callable[..., str]:
    """Makes keys for that file."""

    def made(audience: str, *, read_only: bool = False) -> str:
        database = Database(tmp_path / "desk.db")
        key = Keys(database).create(
            org="coolair", audience=audience, label="test", now=0, read_only=read_only
        )
        database.close()
        return key

    return made
