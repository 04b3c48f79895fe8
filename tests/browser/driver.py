"""What a person does in the window, in words, and what the window must never do."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.browser.server import Server

PATIENCE = 30_000  # milliseconds: the machine may be busy
HARMLESS = re.compile(r"ResizeObserver loop|disconnected from server|Failed to load resource|WebSocket connection to|"
                      r"ERR_CONNECTION_REFUSED|WebGL|GPU stall")
PROBES = re.compile(r"/\w+/_stcore/(health|host-config)$")  # the front end asks below the page's own path first


class Visit:
    """One browser context on one server; collects page errors, console errors and requests to other hosts."""

    def __init__(self, browser: Browser, server: Server, viewport: dict, scheme: str) -> None:
        self.server, self.complaints = server, []
        self.context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self._complain("page error", str(error)))
        self.page.on("console", lambda said: self._complain("console", said.text) if said.type == "error" else None)
        self.context.on("request", lambda request: self._watch(request.url))
        self.context.on("response", lambda answer: self._judge(answer.status, answer.url))
        self.page.on("websocket", lambda socket: self._watch(socket.url))

    def close(self) -> None:
        self.context.close()

    def _complain(self, kind: str, text: str) -> None:
        if not HARMLESS.search(text):
            self.complaints.append(f"{kind}: {text[:500]}")

    def _judge(self, status: int, url: str) -> None:
        if status >= 400 and not PROBES.search(url):
            self.complaints.append(f"answer {status}: {url[:300]}")

    def _watch(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme not in ("data", "blob") and address.netloc != f"127.0.0.1:{self.server.port}":
            self.complaints.append(f"request to another host: {url[:300]}")


def ready(page: Page) -> None:
    """The script has run to its end and showed no exception. Not for screens that refresh by themselves."""
    state = '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
    expect(page.locator(state)).to_be_attached(timeout=PATIENCE)
    calm(page)


def calm(page: Page) -> None:
    """No exception is on the screen."""
    expect(page.get_by_test_id("stException")).to_have_count(0)


def heading(page: Page, text: str | re.Pattern) -> None:
    expect(page.get_by_role("heading", name=text).first).to_be_visible(timeout=PATIENCE)


def keyed(page: Page, key: str):
    """The element whose widget or container has this key."""
    return page.locator(f".st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key)}")


def press(page: Page, key: str) -> None:
    """Click the button with this key."""
    keyed(page, key).get_by_role("button").first.click()


def go(page: Page, name: str) -> None:
    """Follow the navigation."""
    page.get_by_test_id("stTopNavLink").filter(has_text=re.compile(f"^{name}$")).click()


def query(page: Page) -> dict[str, str]:
    """The address's query, first values."""
    return {k: v[0] for k, v in parse_qs(urlsplit(page.url).query).items()}


def overflow(page: Page) -> list[str]:
    """What sticks out of the window sideways: should be nothing."""
    return page.evaluate("""() => {
        const width = document.documentElement.clientWidth, out = [];
        if (document.documentElement.scrollWidth > width + 1) out.push(`page ${document.documentElement.scrollWidth}`);
        const main = document.querySelector('[data-testid="stMain"]');
        if (main && main.scrollWidth > main.clientWidth + 1) out.push(`main ${main.scrollWidth} > ${main.clientWidth}`);
        return out;
    }""")


def choose(page: Page, widget: str, label: str, option: str) -> None:
    """Pick `option` in the select box or multi-select with this label, and close its list."""
    field = page.get_by_test_id(widget).filter(has_text=label).first
    field.get_by_role("combobox").first.click()
    page.get_by_role("option", name=option, exact=True).first.click()
    if widget == "stMultiSelect":  # stays open for more
        page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    ready(page)


def setting(page: Page, name: str):
    """The widget of one training setting ("iterations"), whatever the study's id."""
    return page.locator(f'[class*="-train-{name}"]').first


def train_quickly(page: Page, iterations: int = 200, seeds: int = 2) -> None:
    """On the Train page: a small budget, then start."""
    heading(page, "What should be tried?")
    ready(page)
    for name, value in (("iterations", iterations), ("seeds", seeds)):
        field = setting(page, name).get_by_role("spinbutton")
        field.fill(str(value))
        field.press("Enter")
        ready(page)
    press(page, "start")


def wait_for_training(page: Page, seconds: int = 120) -> None:
    """On the Train page: until the newest job says that it finished."""
    expect(page.get_by_text(re.compile(r"^Finished \d+ runs?|^Finished")).first).to_be_visible(timeout=seconds * 1000)


def explore(page: Page, name: str) -> None:
    """On the Start page: begin a study of a built-in data set; ends on the Train page."""
    heading(page, "Choose a data set")
    press(page, f"explore:{name}")
    heading(page, "What should be tried?")


def job_state(page: Page, word: str):
    """The line of a job that begins with this word ("Training", "Cancelled")."""
    return page.locator('[class*="st-key-job-"]').get_by_text(re.compile(rf"^{word}\b")).first


def cells(page: Page, place: int = 0) -> list[str]:
    """The texts of a table of the screen, as a screen reader is told them."""
    table = page.get_by_test_id("stDataFrame").nth(place)
    expect(table.locator("[role=gridcell]").first).to_be_attached(timeout=PATIENCE)
    return table.locator("[role=gridcell]").all_text_contents()


def settled(page: Page, place: int = 0) -> list[str]:
    """The texts of a table once they have stopped changing."""
    before, now = None, cells(page, place)
    while now != before:
        page.wait_for_timeout(500)
        before, now = now, cells(page, place)
    return now
