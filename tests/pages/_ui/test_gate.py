from __future__ import annotations


def test_without_a_password_everybody_comes_in(app):
    assert app().title[0].value == "What does fairness cost, and who pays?"


def test_no_screen_is_shown_before_the_password(app, monkeypatch):
    monkeypatch.setenv("COUNTERWEIGHT_PASSWORD", "sesame")
    at = app("start", study="abc")
    assert [t.value for t in at.title] == ["Please enter the password"]
    assert not at.header and not at.file_uploader
    at.text_input[0].set_value("Sesame")
    at.button[0].click().run()
    assert len(at.error) == 1 and not at.file_uploader
    at.text_input[0].set_value("sesame")
    at.button[0].click().run()
    assert not at.error and at.file_uploader
    assert "abc" in at.query_params["study"]
