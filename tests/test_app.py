from __future__ import annotations

import gc
import tomllib
from pathlib import Path

import anyio
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.web.server.app_discovery import discover_asgi_app

from core.data.load import default_study
from core.figures.theme import COLORS
from core.types import BadInput, MethodSpec, TrainSpec

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERWEIGHT_HOME", str(tmp_path))
    monkeypatch.delenv("COUNTERWEIGHT_PASSWORD", raising=False)
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


def launch(script="app.py", **query):
    at = AppTest.from_file(str(ROOT / script), default_timeout=60)
    for key, value in query.items():
        at.query_params[key] = value
    return at.run()


def test_streamlit_finds_the_app_in_the_source():
    assert discover_asgi_app(ROOT / "app.py").app_name == "app"


def test_a_fresh_data_folder_opens_on_the_start_page():
    at = launch()
    assert not at.exception and not at.error
    assert at.title[0].value == "What does fairness cost, and who pays?"


def test_a_link_opens_its_study_and_an_unknown_one_is_ignored_on_the_start_page():
    from pages._ui import state

    ident = state.store().create_study(default_study("penguins"))
    assert any("sex" in c.value for c in launch(study=ident).caption)
    assert not launch(study="nobody-knows-it").exception


def test_the_page_is_behind_the_password_where_one_is_set(monkeypatch):
    monkeypatch.setenv("COUNTERWEIGHT_PASSWORD", "sesame")
    assert launch().title[0].value == "Please enter the password"
    at = launch("pages/_ui/shell.py")
    assert at.title[0].value == "Please enter the password"
    at.text_input[0].set_value("wrong")
    at.button[0].click().run()
    assert len(at.error) == 1
    at.text_input[0].set_value("sesame")
    at.button[0].click().run()
    assert at.title[0].value == "What does fairness cost, and who pays?"


def test_heavy_imports_are_taken_out_of_garbage_collection_and_jobs_end_with_the_server():
    import app
    from pages._ui import state

    before = gc.get_freeze_count()

    async def live():
        async with app.lifespan(None):
            assert gc.get_freeze_count() > before
            return state.jobs(), state.store().create_study(default_study("penguins"))

    try:
        jobs, ident = anyio.run(live)
        with pytest.raises(BadInput, match="stopping"):
            jobs.submit(ident, TrainSpec((MethodSpec("erm"),)))
    finally:
        gc.unfreeze()


def test_the_settings_keep_everything_on_this_machine():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["browser"]["gatherUsageStats"] is False
    assert config["server"]["address"] == "127.0.0.1"
    assert config["client"]["toolbarMode"] == "viewer" and config["client"]["showErrorDetails"] == "type"
    assert "enableCORS" not in config["server"] and "enableXsrfProtection" not in config["server"]


def test_both_themes_draw_charts_in_the_palette_of_the_figures():
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    assert tuple(theme["light"]["chartCategoricalColors"]) == COLORS
    assert tuple(theme["dark"]["chartCategoricalColors"]) == COLORS


def test_style_reaches_only_containers_with_a_key_of_ours():
    css = (ROOT / "assets" / "style.css").read_text()
    assert ".st-emotion" not in css and "http" not in css and "@import" not in css
