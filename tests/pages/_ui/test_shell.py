from __future__ import annotations

from pages._ui import nav, shell


def test_screens_that_poll_exist_in_the_navigation():
    assert set(shell.POLLING) <= set(nav.SCREENS)


def test_a_deep_link_opens_its_screen_with_the_shell_around_it(app):
    at = app("groups", study="abc")
    assert at.title[0].value == "Whose outcomes are compared?"
    assert "gone" in at.button[0].key
