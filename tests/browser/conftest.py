"""A real server with its own data folder, and a real Chromium that may talk to nobody else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.driver import Visit
from tests.browser.server import Server

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


def find_browser() -> str:
    """The program to drive: COUNTERWEIGHT_CHROMIUM, or the first Chromium or Chrome on the path."""
    named = os.environ.get("COUNTERWEIGHT_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "the browser tests need Chromium or Chrome: install it, or name it in COUNTERWEIGHT_CHROMIUM"
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_browser(), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the journeys of a module; it starts with an empty data folder."""
    with Server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def open_page(chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator:
    """A function that opens a browser window on a server: open_page(server, path="/", viewport=WIDE, scheme="light").

    At the end every window must be free of page errors, console errors and requests to other hosts.
    """
    visits: list[Visit] = []

    def start(server: Server, path: str = "/", viewport=None, scheme: str = "light") -> Page:
        visit = Visit(chromium, server, viewport or WIDE, scheme)
        visits.append(visit)
        visit.page.goto(server.url + path)
        return visit.page

    yield start
    failed = getattr(request.node, "failed", False)
    for k, visit in enumerate(visits):
        if failed and not visit.page.is_closed():
            shot = tmp_path / f"window-{k}.png"
            visit.page.screenshot(path=shot)
            print(f"screenshot: {shot}\naddress: {visit.page.url}\nserver log: {visit.server.log_path}")
        visit.close()
    for visit in visits if not failed else []:
        assert not visit.complaints, "\n".join(visit.complaints)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    """Let the fixture above know whether the test failed."""
    report = yield
    if report.when == "call":
        item.failed = report.failed
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser journeys come last: what is quick fails first, and their event loop is nobody else's."""
    here = Path(__file__).parent
    items.sort(key=lambda item: here in item.path.parents)
