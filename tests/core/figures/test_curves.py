from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from known_runs import CLASSES, GROUPS, make_history, make_run

from core.figures.curves import curves_table, plot_curves, selection_marks
from core.types import BadInput

GIVEN = {"classes": CLASSES, "attr_labels": GROUPS}


@pytest.fixture
def growing():
    """Two seeds over three evaluations: women's cells 50, 70, 60 (second seed +10), men's 80 throughout."""
    right = np.array([[[[w + 10 * s] * 2, [80, 80]] for s in range(2)] for w in (50, 70, 60)])
    return [make_run(s, seed=s) for s in range(2)], {"c": make_history(right)}


def line(table, group, split="val"):
    return table[(table["group"] == group) & (table["split"] == split)]


def test_one_line_per_group_with_the_mean_and_the_range_of_seeds(growing):
    table = curves_table(*growing, **GIVEN)
    women = line(table, "women")
    assert women["iteration"].tolist() == [50, 100, 150]
    assert women["mean"].tolist() == pytest.approx([0.55, 0.75, 0.65])
    assert women["low"].tolist() == pytest.approx([0.5, 0.7, 0.6]) and women["high"].tolist() == pytest.approx(
        [0.6, 0.8, 0.7])
    assert line(table, "men")["mean"].tolist() == pytest.approx([0.8] * 3) and (table["n_seeds"] == 2).all()


def test_partitions_splits_and_reductions(growing):
    table = curves_table(*growing, partition="subgroup", splits=("train", "test"), **GIVEN)
    assert set(table["group"]) == {"no, women", "no, men", "yes, women", "yes, men"}
    assert line(table, "yes, women", "test")["mean"].tolist() == pytest.approx([0.45, 0.65, 0.55])
    everyone = curves_table(*growing, partition="all", **GIVEN)
    assert line(everyone, "everyone")["mean"].tolist() == pytest.approx([0.675, 0.775, 0.725])
    worst = curves_table(*growing, metric="accuracy.worst@subgroup", **GIVEN)
    assert set(worst["group"]) == {"Worst-group accuracy (class × group)"}
    assert worst["mean"].tolist() == pytest.approx([0.55, 0.75, 0.65])


def test_losses_of_cells_are_averaged_by_their_mass():
    history = make_history(np.full((1, 1, 2, 2), 50))
    history.loss[0, 1, 0] = [[1.0, 2.0], [3.0, np.nan]]  # class x group; men have no positives
    history.counts[0, 1, 0, 0, 1] *= 3  # 300 women among the positives, 100 among the negatives
    history.counts[0, 1, 0, 1, 1] = 0
    runs = [make_run(0)]
    table = curves_table(runs, {"c": history}, metric="loss", **GIVEN)
    assert dict(zip(table["group"], table["mean"], strict=True)) == pytest.approx({"women": 2.5, "men": 2.0})
    by_class = curves_table(runs, {"c": history}, metric="loss", partition="class", **GIVEN)
    assert by_class["mean"].tolist() == pytest.approx([1.5, 3.0])
    cells = curves_table(runs, {"c": history}, metric="loss", partition="subgroup", **GIVEN)
    assert np.isnan(line(cells, "yes, men")["mean"]).all()


def test_a_diverged_seed_leaves_the_mean_to_the_others(growing):
    runs, histories = growing
    histories["c"].counts[1:, :, 0] = np.nan
    women = line(curves_table(runs, histories, **GIVEN), "women")
    assert women["mean"].tolist() == pytest.approx([0.55, 0.8, 0.7]) and women["n_seeds"].tolist() == [2, 1, 1]


def test_long_curves_are_thinned_with_both_ends_kept():
    runs, histories = [make_run(0)], {"c": make_history(np.full((1000, 1, 2, 2), 50))}
    women = line(curves_table(runs, histories, **GIVEN), "women")
    assert len(women) == 200 and women["iteration"].iloc[[0, -1]].tolist() == [50, 50_000]


def test_what_has_not_begun_is_left_out(growing):
    runs, histories = growing
    table = curves_table([*runs, make_run(0, "focal", cohort="later", state="queued")], histories, **GIVEN)
    assert table["id"].nunique() == 1
    assert curves_table([], {}, **GIVEN).empty and selection_marks([], {}, **GIVEN).empty


def test_metrics_of_two_classes_are_refused_for_three():
    with pytest.raises(BadInput, match="3 classes"):
        curves_table([make_run(0)], {"c": make_three()}, metric="tpr", classes="abc", attr_labels=GROUPS)


def make_three():
    history = make_history(np.full((1, 1, 2, 2), 50))
    object.__setattr__(history, "counts", np.ones((1, 3, 1, 2, 3, 3)))
    return history


def test_selection_rules_pick_by_hand(growing):
    runs, histories = growing
    steady = make_history(np.array([[[[72, 72], [72, 72]]], [[[70, 70], [70, 70]]], [[[74, 74], [74, 74]]]]))
    runs = [*runs, make_run(0, "group_dro", cohort="d")]
    marks = selection_marks(runs, {**histories, "d": steady}, **GIVEN).set_index(["rule", "title"])
    assert marks.loc[("average", "Erm"), "iteration"] == 100
    assert marks.loc[("average", "Erm"), "value"] == pytest.approx(0.775)
    assert marks.loc[("worst group", "Group dro"), "value"] == pytest.approx(0.74)
    assert marks.loc[("worst group", "Group dro"), "worst group"] == pytest.approx(0.64)  # on test
    assert marks["picked"].groupby("rule").sum().tolist() == [1, 1, 1]
    assert marks.loc[("average", "Erm"), "picked"] and marks.loc[("worst group", "Erm"), "picked"]


def test_chart_titles_dashes_and_marks(growing):
    table = curves_table(*growing, splits=("train", "val"), **GIVEN)
    spec = plot_curves(table, marks=selection_marks(*growing, **GIVEN), group_order=GROUPS).to_dict()
    encodings = [layer["encoding"] for layer in spec["layer"]]
    assert encodings[1]["y"]["title"] == "Accuracy (better ↑)" and encodings[1]["y"]["scale"]["zero"] is False
    assert encodings[1]["strokeDash"]["scale"]["domain"] == ["training", "validation"]
    one = plot_curves(curves_table(*growing, splits=("val",), **GIVEN)).to_dict()
    alone = one["layer"][1]["encoding"]["strokeDash"]
    assert alone["legend"] is None and alone["scale"]["range"] == [[1, 0]]
    data = pd.DataFrame(next(iter(spec["datasets"].values())))
    marks = data[data["kind"] == "mark"]
    assert data.loc[data["end"], "iteration"].unique().tolist() == [150] and data["end"].sum() == 4
    assert encodings[2]["shape"]["field"] == encodings[1]["color"]["field"] == "group"  # colour is not the only sign
    assert marks["rule"].tolist() == ["average, worst group, worst class"] and marks["iteration"].tolist() == [100]


def test_small_multiples_by_setting_and_by_group(growing):
    runs, histories = growing
    both = [*runs, make_run(0, "group_dro", cohort="d")]
    table = curves_table(both, {**histories, "d": histories["c"]}, **GIVEN)
    by_setting = plot_curves(table, group_order=GROUPS).to_dict()
    assert by_setting["facet"]["sort"] == ["Erm, default settings", "Group dro, default settings"]
    by_group = plot_curves(table, panels="group").to_dict()
    assert by_group["facet"]["sort"] == list(GROUPS)
    assert by_group["spec"]["layer"][1]["encoding"]["color"]["field"] == "setting"
    assert "facet" not in plot_curves(table, panels="none").to_dict()
    assert by_setting["config"]["background"] == "transparent"


def test_loss_has_its_direction_and_nothing_says_why(growing):
    table = curves_table(*growing, metric="loss", **GIVEN)
    assert "Loss (cross-entropy, better ↓)" in str(plot_curves(table, metric="loss").to_dict())
    assert "No finished evaluation" in str(plot_curves(table.iloc[:0]).to_dict())
