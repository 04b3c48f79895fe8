"""Bringing one's own table: from an awkward file to a trained study, and one sentence for what is no table."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import tables
from tests.browser.driver import calm, choose, go, heading, keyed, press, ready, train_quickly, wait_for_training


def give(page: Page, name: str, content: bytes) -> None:
    """Drop a file into the field for one's own table."""
    keyed(page, "upload:table").get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content})


@pytest.mark.parametrize("what", sorted(tables.BAD))
def test_what_is_no_table_gets_one_sentence(server, open_page, what):
    page = open_page(server)
    heading(page, "Or bring your own")
    give(page, *tables.BAD[what])
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_have_count(1)
    said = alert.inner_text().strip()
    assert re.fullmatch(r"[^\n]{20,400}\.", said), said
    assert not re.search(r"Traceback|Error\b|Exception|0x|b'", said), said
    calm(page)
    expect(keyed(page, "upload:begin")).to_have_count(0)


def test_an_awkward_table_becomes_a_trained_study(server, open_page):
    page = open_page(server)
    heading(page, "Or bring your own")
    give(page, "Fälle <b>2024.csv", tables.awkward_csv())
    expect(page.get_by_text("1,200 rows and 6 columns were read")).to_be_visible()
    press(page, "upload:begin")

    heading(page, "What is in this table?")
    ready(page)
    choose(page, "stSelectbox", "Label: what is predicted", tables.LABEL)
    expect(page.get_by_text("Choose the positive class to go on")).to_be_visible()
    expect(page.get_by_role("button", name="Use these roles")).to_have_count(0)
    page.get_by_test_id("stRadio").get_by_text(re.compile(r"^ja:")).click()
    attributes = page.get_by_test_id("stMultiSelect").filter(has_text="Attributes")
    if not attributes.get_by_text(tables.SEX, exact=True).count():
        choose(page, "stMultiSelect", "Attributes", tables.SEX)
    page.get_by_role("button", name="Use these roles").click()

    heading(page, "Whose outcomes are compared?")
    ready(page)
    for group in ("weiblich", "männlich"):
        expect(page.get_by_text(group).first).to_be_attached()
    go(page, "Train")
    train_quickly(page)
    wait_for_training(page)
    go(page, "Trade-offs")
    heading(page, re.compile("worth choosing"))
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    assert page.locator("img[src='x']").count() == 0, "markup of the file reached the page as markup"
