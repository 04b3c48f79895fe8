"""Jobs outlive the window, stop when asked, and survive the death of the server."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    PATIENCE,
    explore,
    go,
    heading,
    job_state,
    keyed,
    query,
    ready,
    train_quickly,
    wait_for_training,
)
from tests.browser.server import Server


def test_cancelling_stops_within_two_seconds_and_says_so(server, open_page):
    page = open_page(server)
    explore(page, "adult")
    train_quickly(page, iterations=20_000, seeds=3)
    expect(job_state(page, "Training")).to_be_visible(timeout=PATIENCE)
    page.wait_for_function("() => /: [1-9]\\d* %/.test(document.body.innerText)")
    began = time.monotonic()
    page.get_by_role("button", name="Cancel").click()
    expect(job_state(page, "Cancelled")).to_be_visible(timeout=PATIENCE)
    took = time.monotonic() - began
    print(f"cancel: {took:.2f} s from click to word")
    assert took < 2.0
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)


def test_a_second_window_finds_the_job_by_its_link(server, open_page):
    page = open_page(server)
    explore(page, "german_credit")
    train_quickly(page, iterations=20_000, seeds=1)
    expect(job_state(page, "Training")).to_be_visible(timeout=PATIENCE)
    other = open_page(server, f"/train?study={query(page)['study']}")
    expect(job_state(other, "Training")).to_be_visible(timeout=PATIENCE)
    other.get_by_role("button", name="Cancel").click()
    for window in (other, page):
        expect(job_state(window, "Cancelled")).to_be_visible(timeout=PATIENCE)


@pytest.mark.timeout(300)
def test_a_killed_server_loses_nothing_finished_and_goes_on(tmp_path, open_page):
    with Server(tmp_path / "own") as server:
        page = open_page(server)
        explore(page, "adult")
        train_quickly(page, iterations=60, seeds=1)
        wait_for_training(page)
        study = query(page)["study"]
        train_quickly(page, iterations=1000, seeds=2)
        expect(job_state(page, "Training")).to_be_visible(timeout=PATIENCE)
        page.wait_for_function("() => /: [2-9]\\d %/.test(document.body.innerText)", timeout=60_000)
        server.stop(hard=True)
        server.start()

        again = open_page(server)
        heading(again, "Continue")
        expect(again.get_by_text("A training was interrupted at")).to_be_visible()
        expect(again.get_by_text(re.compile(r"[1-9]\d* runs")).first).to_be_visible()
        again.get_by_role("button", name="Resume").click()
        heading(again, "What should be tried?")
        assert query(again)["study"] == study
        wait_for_training(again, 150)

        go(again, "Start")
        heading(again, "Continue")
        expect(again.get_by_text("A training was interrupted at")).to_have_count(0)
        page.close()
        ready(again)


def test_a_link_is_the_first_thing_a_fresh_server_is_asked_for(tmp_path, open_page):
    with Server(tmp_path / "own") as server:
        page = open_page(server, "/tradeoffs?study=nobody-has-this")
        expect(page.get_by_test_id("stTopNavLink").filter(has_text="Trade-offs")).to_be_visible(timeout=PATIENCE)
        heading(page, "This study is not here")
        ready(page)
        expect(page.get_by_role("dialog")).to_have_count(0)
        keyed(page, "empty:gone").get_by_role("button").click()
        heading(page, "Choose a data set")
        ready(page)
        assert "study" not in query(page)
