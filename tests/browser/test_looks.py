"""Every screen, with a study and without, light and dark, wide and narrow: fits, is calm, and calls nobody."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, WIDE
from tests.browser.driver import PATIENCE, calm, explore, overflow, query, ready, train_quickly, wait_for_training

SCREENS = {
    "": "What does fairness cost, and who pays?",
    "data": "What is in this table?",
    "groups": "Whose outcomes are compared?",
    "train": "What should be tried?",
    "tradeoffs": "Which models are worth choosing?",
    "curves": "Who learns when?",
    "thresholds": "Where should the line be drawn?",
    "audit": "Whom does it serve worse?",
    "methods": "What can be tried?",
}
DRAWN = {  # what must really be drawn there, not only its axes
    "data": '[data-testid="stVegaLiteChart"] .mark-rect path[role="graphics-symbol"]',
    "groups": '[data-testid="stVegaLiteChart"] .mark-rect path[role="graphics-symbol"]',
    "tradeoffs": '[data-testid="stVegaLiteChart"] .points_marks path[role="graphics-symbol"]',
    "curves": '[data-testid="stVegaLiteChart"] .mark-line path[role="graphics-symbol"]',
    "thresholds": '[data-testid="stPlotlyChart"] .scatterlayer .trace path',
    "audit": '[data-testid="stVegaLiteChart"] .mark-symbol path[role="graphics-symbol"]',
}
LOOKS = [(scheme, name) for scheme in ("light", "dark") for name in ("wide", "narrow")]
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 18, 20)"}


@pytest.fixture(scope="module")
def study(server, chromium) -> str:
    """A finished study of COMPAS; its id."""
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(server.url)
    explore(page, "compas")
    train_quickly(page, iterations=100, seeds=2)
    wait_for_training(page)
    ident = query(page)["study"]
    page.close()
    return ident


def fits(page: Page) -> None:
    ready(page)
    page.wait_for_timeout(300)  # charts take their width after the script has ended
    assert overflow(page) == []
    for chart in page.get_by_test_id("stVegaLiteChart").all():
        expect(chart.locator("svg, canvas").first).to_be_attached()


@pytest.mark.parametrize(("scheme", "size"), LOOKS, ids=map("-".join, LOOKS))
def test_every_screen_fits_and_is_calm(server, study, open_page, scheme, size):
    page = open_page(server, f"/?study={study}", NARROW if size == "narrow" else WIDE, scheme)
    for path, title in SCREENS.items():
        page.goto(f"{server.url}/{path}?study={study}")
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible(timeout=PATIENCE)
        if path in DRAWN:
            expect(page.locator(DRAWN[path]).nth(1)).to_be_attached(timeout=PATIENCE)
        fits(page)
    assert page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor") == GROUND[scheme]


def test_screens_without_a_study_offer_the_one_click_that_mends_it(server, open_page):
    page = open_page(server)
    for path in [name for name in SCREENS if name not in ("", "audit", "methods")]:  # these need no study
        page.goto(f"{server.url}/{path}")
        expect(page.get_by_text("No study is open")).to_be_visible(timeout=PATIENCE)
        fits(page)
    page.get_by_role("button", name="Choose a data set").click()
    expect(page.get_by_role("heading", name=SCREENS[""])).to_be_visible(timeout=PATIENCE)


def test_a_study_without_runs_says_what_is_missing(server, open_page):
    page = open_page(server)
    explore(page, "penguins")
    ident = query(page)["study"]
    for path in ("tradeoffs", "curves", "thresholds"):
        page.goto(f"{server.url}/{path}?study={ident}")
        expect(page.get_by_text(re.compile("Nothing has been trained yet|need two classes"))).to_be_visible(
            timeout=PATIENCE)
        fits(page)


def test_the_card_of_a_data_set_opens_and_closes(server, open_page):
    page = open_page(server)
    page.get_by_role("button", name="Read the card").first.click()
    dialog = page.get_by_role("dialog")
    for words in ("What the label means", "Known harms and traps", "Licence"):
        expect(dialog.get_by_text(words).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    calm(page)


def test_settings_behind_a_button_show_what_is_in_force_however_late_they_are_opened(server, study, open_page):
    page = open_page(server, f"/tradeoffs?study={study}&min_n=25&baseline=0")
    ready(page)
    page.get_by_role("radio", name=re.compile("Validation")).first.click()  # the page runs again before they are built
    ready(page)
    page.get_by_role("button", name="More").first.click(timeout=PATIENCE)
    expect(page.get_by_role("spinbutton")).to_have_value("25")
    expect(page.get_by_label("Intervals", exact=True)).to_be_checked()
    expect(page.get_by_label("What thresholds alone reach", exact=True)).not_to_be_checked()
