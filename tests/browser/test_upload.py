"""Bringing one's own table: from an awkward file to a trained study, and one sentence for what is no table."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import tables
from tests.browser.driver import calm, heading, keyed


def give(page: Page, name: str, content: bytes) -> None:
    """Drop a file into the field for one's own table."""
    keyed(page, "upload:table").get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content})


def choose(page: Page, widget: str, text: str, option: str) -> None:
    """Pick `option` in the select box or multi-select whose label is `text`."""
    field = page.get_by_test_id(widget).filter(has_text=text).first
    field.get_by_role("combobox").click()
    page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)


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
