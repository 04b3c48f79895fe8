from __future__ import annotations


def open_example(app, **query):
    at = app("audit")
    next(b for b in at.button if b.label == "Audit the COMPAS scores").click().run()
    ident = at.query_params["audit"]
    return app("audit", audit=ident if isinstance(ident, str) else ident[0], view="export", **query)


def labels(at):
    return [b.proto.label for b in at.get("download_button")]


def test_three_files_can_be_taken_along_and_the_command_is_told(app, folder):
    at = open_example(app)
    assert not at.exception and labels(at)[-3:] == ["CSV", "JSON", "Report (HTML)"]
    assert any("python -m core audit" in str(c.value) for c in at.caption)


def test_small_cells_can_be_hidden_under_a_number_of_ones_own(app, folder):
    at = open_example(app, hide="1", under="40")
    assert not at.exception and at.number_input(key="view:under").value == 40
    at = open_example(app)
    assert not [n for n in at.number_input if n.key == "view:under"]
