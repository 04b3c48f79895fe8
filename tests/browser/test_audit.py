"""Predictions brought from elsewhere: uploaded, audited, judged against a bound, taken along, found by the link."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
from playwright.sync_api import expect

from tests.browser.driver import PATIENCE, heading, keyed, overflow, query, ready


def table(n: int = 600) -> bytes:
    rng = np.random.default_rng(7)
    sex = rng.choice(["women", "men"], n)
    score = rng.random(n)
    repaid = np.where(rng.random(n) < score, "yes", "no")
    score = np.clip(score + 0.15 * (sex == "men"), 0, 1).round(3)
    return pd.DataFrame({"repaid": repaid, "score": score, "sex": sex}).to_csv(index=False).encode()


def test_a_table_of_predictions_becomes_an_audit_that_its_link_shows_again(server, open_page):
    page = open_page(server, "/audit")
    heading(page, "Whom does it serve worse?")
    page.locator('input[type="file"]').first.set_input_files(
        {"name": "loans.csv", "mimeType": "text/csv", "buffer": table()})
    page.get_by_role("button", name="Begin an audit").click(timeout=PATIENCE)
    page.get_by_role("combobox", name=re.compile("True label")).click(timeout=PATIENCE)
    page.get_by_role("option", name="repaid").click()
    page.get_by_role("combobox", name=re.compile("Positive value")).click(timeout=PATIENCE)
    page.get_by_role("option", name=re.compile("^yes")).click()
    ready(page)
    page.get_by_role("button", name="Audit these columns").click()
    expect(page.get_by_text("600 of 600 rows are counted")).to_be_visible(timeout=PATIENCE)
    expect(page.locator('[data-testid="stVegaLiteChart"] .mark-symbol path').first).to_be_attached(timeout=PATIENCE)
    assert overflow(page) == []

    page.get_by_role("radio", name="Are the gaps within bounds?").click()
    expect(page.get_by_text(re.compile("beyond the bound|Beyond the bound"))).to_be_visible(timeout=PATIENCE)
    page.get_by_role("radio", name="Take it along").click()
    expect(keyed(page, "audit-downloads")).to_be_visible(timeout=PATIENCE)
    with page.expect_download() as given:
        page.get_by_role("button", name="JSON").click()
    found = json.loads(given.value.path().read_text("utf-8"))
    assert found["n_used"] == 600 and found["positive"] == "yes"
    assert {g["label"] for g in found["groups"]} == {"women", "men"}

    address = page.url
    assert query(page)["view"] == "export" and query(page)["audit"]
    again = open_page(server, address.removeprefix(server.url))
    expect(again.get_by_text("600 of 600 rows are counted")).to_be_visible(timeout=PATIENCE)
    expect(keyed(again, "audit-downloads")).to_be_visible(timeout=PATIENCE)
