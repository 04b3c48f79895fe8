"""The whole journey on a built-in data set: three clicks to a moving front, a model opened, its thresholds moved."""

from __future__ import annotations

import re
import statistics
import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import PATIENCE, explore, go, heading, job_state, keyed, press, query, ready, settled

POINTS = '[data-testid="stVegaLiteChart"] .points_marks path[role="graphics-symbol"]'


def points(page: Page) -> dict[str, str]:
    """Setting -> where its point lies and in what state, as a screen reader is told."""
    said = page.locator(POINTS).evaluate_all("paths => paths.map(p => p.getAttribute('aria-label') || '')")
    named = [(re.search(r"Method: ([^;]*); Settings: ([^;]*);", text), text) for text in said]
    return {" · ".join(found.groups()): text for found, text in named if found}


def watch_front(page: Page, seconds: float = 120) -> list[dict[str, str]]:
    """The front's points each time they changed, until nothing trains any more."""
    seen: list[dict[str, str]] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        now = points(page)
        if now and (not seen or now != seen[-1]):
            seen.append(now)
        if seen and not page.get_by_role("progressbar").count() and all("State: finished" in t for t in now.values()):
            return seen
        page.wait_for_timeout(150)
    raise AssertionError(f"the training did not end within {seconds} s")


def latency(page: Page, times: int = 6) -> list[float]:
    """Milliseconds from a click on "Measured on" until the numbers at the end of the page have changed."""
    took = []
    for k in range(times):
        name = ("validation", "test")[k % 2]
        button = page.get_by_test_id("stButtonGroup").get_by_role("radio", name=name.capitalize())
        took.append(button.evaluate("""(button, words) => new Promise((done, fail) => {
            const began = performance.now();
            const look = () => {
                const found = [...document.querySelectorAll('h3')].some(h => h.textContent.includes(words));
                if (found) done(performance.now() - began);
                else if (performance.now() - began > 20000) fail(new Error('nothing came'));
                else setTimeout(look, 10);
            };
            button.click();
            look();
        })""", f"The numbers, on {name} rows"))
        page.wait_for_timeout(200)
    return took


@pytest.mark.timeout(400)
def test_from_three_clicks_to_a_rule_of_ones_own(server, open_page):
    page = open_page(server)
    explore(page, "adult")
    press(page, "start")
    expect(job_state(page, "(Waiting|Preparing|Training)")).to_be_visible(timeout=PATIENCE)
    go(page, "Trade-offs")
    heading(page, "Which models are worth choosing?")
    expect(page.locator(POINTS).first).to_be_attached(timeout=PATIENCE)
    waits = latency(page)
    print(f"rerun while training: median {statistics.median(waits):.0f} ms, all {[round(w) for w in waits]}")
    check_movement(watch_front(page))
    study = query(page)["study"]

    page.locator(f'{POINTS}[aria-label*="DFR"]').first.click(force=True)
    expect(keyed(page, "model").get_by_role("heading", name=re.compile("DFR"))).to_be_visible(timeout=PATIENCE)
    run = query(page)["run"]
    assert query(page)["study"] == study
    keyed(page, "model").get_by_role("link", name="Thresholds").click()
    check_thresholds(page, run)


def check_movement(seen: list[dict[str, str]]) -> None:
    """More and more points came, and some moved while they trained."""
    assert len(seen[-1]) >= 8, seen[-1]
    assert len(seen[0]) < len(seen[-1]), "the points did not come one after another"
    moved = [name for before, after in zip(seen, seen[1:], strict=False) for name in before
             if name in after and "running" in before[name] and before[name] != after[name]]
    assert moved, "no point moved while its runs were trained"


def check_thresholds(page: Page, run: str) -> None:
    """A slider moves the numbers at once, a reload keeps them, what is found can be saved."""
    heading(page, "Where should the line be drawn?")
    ready(page)
    assert query(page)["run"] == run
    before = settled(page)
    slider = keyed(page, "view:t:common").get_by_role("slider")
    for _ in range(3):
        slider.press("PageUp")
    page.wait_for_url(re.compile(r"[?&]t=0\.8(&|$)"))
    expect(page.get_by_text(re.compile(r"0\.800? for everybody"))).to_be_visible()
    after = settled(page)
    assert before and len(before) == len(after) and before != after
    kept, address = slider.input_value(), page.url

    page.reload()
    heading(page, "Where should the line be drawn?")
    ready(page)
    expect(keyed(page, "view:t:common").get_by_role("slider")).to_have_value(kept)
    assert query(page) == query_of(address)
    assert settled(page) == after

    page.get_by_role("button", name="Find it").click()
    expect(page.get_by_text(re.compile("^Found:"))).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Save this rule").click()
    page.get_by_role("link", name="Saved: see it on the front").click()
    heading(page, "Which models are worth choosing?")
    expect(page.locator(f'{POINTS}[aria-label*="hreshold"]').first).to_be_attached(timeout=PATIENCE)
    ready(page)


def query_of(url: str) -> dict[str, str]:
    """The query of an address, for comparing."""
    return query(type("Address", (), {"url": url}))
