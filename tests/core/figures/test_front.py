from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from known_runs import CLASSES, GROUPS, make_history, make_run

from core.figures.front import front_spec, front_table, hypervolume_table, plot_front
from core.types import BadInput

GIVEN = {"classes": CLASSES, "attr_labels": GROUPS}


def layers(chart):
    return chart.to_dict()["layer"]


def rows(chart):
    return pd.DataFrame(next(iter(chart.to_dict()["datasets"].values())))


def test_seeds_are_averaged_and_both_axes_measured_by_hand(study, methods):
    table = front_table(*study, split="val", methods=methods, **GIVEN)
    assert table["title"].tolist() == ["ERM", "Group DRO"] and table["n_seeds"].tolist() == [3, 1]
    assert table["x"].tolist() == pytest.approx([0.80, 0.75])
    assert table["y"].tolist() == pytest.approx([0.60, 0.75])
    assert table["on_front"].all() and table["is_reference"].tolist() == [True, False]
    assert table["run_keys"].tolist() == [("c0", "c1", "c2"), ("c3",)]
    assert table["x_low"].isna().all() and table["front_share"].isna().all()
    test = front_table(*study, **GIVEN)
    assert test["x"].tolist() == pytest.approx([0.70, 0.65])


def test_a_measure_where_less_is_better_turns_the_front(study):
    table = front_table(*study, y="error_rate.worst@subgroup", split="val", **GIVEN)
    assert table["y"].tolist() == pytest.approx([0.40, 0.25]) and table["on_front"].all()
    dominated = front_table(*study, x="accuracy.worst@class", y="error_rate.worst@subgroup", split="val", **GIVEN)
    assert dominated["on_front"].tolist() == [False, True]


def test_an_axis_without_direction_is_refused(study):
    with pytest.raises(BadInput, match="use its gap"):
        front_table(*study, x="selection_rate", **GIVEN)


def test_intervals_hold_the_points_and_come_out_the_same_again(study):
    table = front_table(*study, split="val", draws=200, **GIVEN)
    for axis in "xy":
        assert (table[f"{axis}_low"] < table[axis]).all() and (table[axis] < table[f"{axis}_high"]).all()
    assert table["front_share"].between(0.9, 1).all()
    pd.testing.assert_frame_equal(table, front_table(*study, split="val", draws=200, **GIVEN))


def test_more_seeds_do_not_shrink_the_part_that_comes_from_the_rows():
    same = np.array([[[[80, 80], [80, 80]]] * 9])
    one = front_table([make_run(0)], {"c": make_history(same)}, draws=2000, split="val", **GIVEN)
    seeds = [make_run(s, seed=s) for s in range(9)]
    nine = front_table(seeds, {"c": make_history(same)}, draws=2000, split="val", **GIVEN)
    width = [float((t["x_high"] - t["x_low"]).iloc[0]) for t in (one, nine)]
    assert width[1] == pytest.approx(width[0], rel=0.1)
    assert width[0] == pytest.approx(2 * 1.96 * np.sqrt(0.8 * 0.2 / 400), rel=0.1)


def test_paired_worlds_make_front_shares_sharper(rng):
    """Two models that differ in two rows of 400: paired worlds know which is better."""
    right = np.array([[[[80, 80], [80, 80]], [[80, 80], [80, 82]]]])
    runs, histories = [make_run(0), make_run(1, "focal")], {"c": make_history(right)}
    apart = front_table(runs, histories, split="val", draws=400, y="balanced_accuracy", **GIVEN)
    base = rng.multinomial(100, [0.8, 0.2], size=(400, 2, 2))[..., 0].astype(float)
    worlds = np.stack([base, base + np.array([[0, 0], [0, 1]])], axis=1)
    tables = np.stack([np.stack([worlds[..., 0], 100 - worlds[..., 0]], -1),
                       np.stack([100 - worlds[..., 1], worlds[..., 1]], -1)], -2)
    paired = front_table(runs, histories, split="val", draws=400, y="balanced_accuracy", worlds={"c": tables}, **GIVEN)
    assert paired["front_share"].tolist() == [0.0, 1.0]
    assert 0.3 < apart["front_share"].iloc[0] < 0.7


def test_diverged_queued_and_undefined_runs_are_rows_without_a_place_on_the_front():
    history = make_history(np.array([[[[80, 80], [80, 80]]] * 3]))
    history.counts[:, :, 1] = np.nan
    history.state[1] = 3
    runs = [make_run(0, seed=0), make_run(1, seed=1, state="diverged"), make_run(2, "focal", eta=1.0),
            make_run(0, "group_dro", cohort="later", state="queued")]
    table = front_table(runs, {"c": history}, draws=50, split="val", **GIVEN)
    assert table["diverged"].tolist() == [1, 0, 0] and table["n_seeds"].tolist() == [1, 1, 0]
    assert table["state"].tolist() == ["finished", "finished", "queued"]
    assert np.isnan(table["x"].iloc[2]) and not table["on_front"].iloc[2] and np.isnan(table["front_share"].iloc[2])
    assert table["iteration"].tolist() == [50, 50, -1]


def test_no_runs_is_an_empty_table_with_its_columns():
    table = front_table([], {}, **GIVEN)
    assert table.empty and "front_share" in table and hypervolume_table(table, x="accuracy", y="accuracy.worst").empty


def test_small_groups_are_left_out_of_the_worst(study):
    runs, histories = study
    histories["c"].n[:, 1, 0] = 5
    table = front_table(runs, histories, split="val", min_n=10, draws=50, **GIVEN)
    assert table["y"].tolist() == pytest.approx([np.mean([0.76, 0.8, 0.84]), 0.75])


def test_hypervolume_is_the_share_of_the_box(study):
    table = front_table(*study, split="val", **GIVEN)
    found = hypervolume_table(table, x="accuracy", y="accuracy.worst@subgroup").set_index("method")
    assert found.loc["erm", "hypervolume"] == 0 and found.loc["erm", "best_x"] == pytest.approx(0.8)
    three = pd.concat([table, table.iloc[[0]].assign(method="best", title="Best", x=0.9, y=0.9)], ignore_index=True)
    found = hypervolume_table(three, x="accuracy", y="accuracy.worst@subgroup")
    assert found["method"].iloc[0] == "best" and found["hypervolume"].iloc[0] == pytest.approx(1.0)


def test_chart_has_the_named_selection_titles_with_direction_and_no_zero(study, methods):
    table = front_table(*study, split="val", draws=50, methods=methods, **GIVEN)
    spec = plot_front(table, selected=[table["id"][0]], order=list(methods)).to_dict()
    assert [p["name"] for p in spec["params"]] == ["pick"] and spec["params"][0]["select"]["fields"] == ["id"]
    x, y = spec["encoding"]["x"], spec["encoding"]["y"]
    assert x["title"] == "Accuracy (better →)"
    assert y["title"] == "Worst-group accuracy (class × group) (better ↑)"
    assert x["scale"]["zero"] is False and y["scale"]["zero"] is False
    assert len(spec["datasets"]) == 1


@pytest.mark.parametrize("axes", [("accuracy", "accuracy.worst@subgroup"), ("error_rate", "accuracy.gap")])
@pytest.mark.parametrize("intervals", [True, False])
def test_the_quick_specification_draws_the_same_chart(study, methods, axes, intervals):
    x, y = axes
    table = front_table(*study, x=x, y=y, split="val", draws=50, methods=methods, **GIVEN)
    for part in (table, table.iloc[1:]):  # the second is told from what was written for the first
        more = {"selected": [part["id"].iloc[0]], "order": list(methods), "show_intervals": intervals}
        chart = plot_front(part, x=x, y=y, **more)
        data, spec = front_spec(part, x=x, y=y, **more)
        whole = chart.to_dict()
        pd.testing.assert_frame_equal(data, chart.data)
        for free in (whole, spec):
            free.pop("data"), free.pop("datasets", None), free.get("config", {}).get("view", {}).clear()
        assert drawn(spec) == drawn(whole)


def test_the_quick_specification_has_nothing_to_draw_before_the_first_evaluation(study):
    table = front_table(*study, split="val", **GIVEN)
    assert front_spec(table.assign(x=np.nan), x="accuracy", y="accuracy.worst") is None


def drawn(spec):
    """The specification without the names that Altair counts up."""
    return re.sub(r'"(view_|layer_|concat_)\d+"', '"view"', json.dumps(spec, sort_keys=True))


def test_tooltips_and_texts_are_words(study, methods):
    table = front_table(*study, split="val", draws=50, methods=methods, **GIVEN)
    data = rows(plot_front(table, order=list(methods)))
    erm = data[data["title"] == "ERM"].iloc[0]
    assert erm["x_text"].startswith("80.0 % (") and " to " in erm["x_text"]
    assert erm["front_text"].startswith("on the front, in ") and erm["seeds_text"] == "3 seeds"


def test_intervals_can_be_left_out_and_a_baseline_is_drawn_behind(study):
    table = front_table(*study, split="val", draws=50, **GIVEN)
    baseline = pd.DataFrame({"x": [0.7, 0.8], "y": [0.8, 0.5], "label": "thresholds per group"})
    full, bare = plot_front(table, baseline=baseline), plot_front(table, show_intervals=False)
    assert sum(layer["mark"]["type"] == "rule" for layer in layers(full)) == 2
    assert not any(layer["mark"]["type"] == "rule" for layer in layers(bare))
    assert layers(full)[0]["mark"]["type"] == "line" and (rows(full)["kind"] == "baseline").sum() == 2


def test_the_front_steps_towards_the_side_that_is_not_reached(study):
    table = front_table(*study, split="val", **GIVEN)
    steps = [layer["mark"].get("interpolate") for layer in layers(plot_front(table))]
    assert "step-before" in steps
    table = front_table(*study, x="error_rate", split="val", **GIVEN)
    assert "step-after" in [layer["mark"].get("interpolate") for layer in layers(plot_front(table, x="error_rate"))]


def test_a_method_keeps_its_colour_when_others_are_hidden(study, methods):
    table = front_table(*study, split="val", methods=methods, **GIVEN)
    colors = []
    for chart in (plot_front(t, order=list(methods)) for t in (table, table.iloc[1:])):
        scale = next(layer["encoding"]["color"]["scale"] for layer in layers(chart) if "color" in layer["encoding"])
        colors.append(dict(zip(scale["domain"], scale["range"], strict=True)))
    assert colors[0]["Group DRO"] == colors[1]["Group DRO"] and len(colors[1]) == 1


def test_a_hundred_settings_each_get_one_row_with_intervals(rng):
    right = rng.integers(60, 95, (2, 300, 4, 2)).astype(float)
    runs = [make_run(r, f"m{r // 3 % 5}", seed=r % 3, eta=float(r // 3)) for r in range(300)]
    table = front_table(runs, {"c": make_history(right)}, draws=200, classes=CLASSES, attr_labels=tuple("abcd"))
    assert len(table) == 100 and (table["x_low"] <= table["x"]).all() and (table["x"] <= table["x_high"]).all()
