from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, recall_score

from core.cli.results import FILES, _together, by_cohort
from core.store.sql import SqlStore


@pytest.fixture
def tables(run, folder):
    assert run()[0] == 0
    return {name: pd.read_parquet(folder / "out" / f"{name}.parquet") for name in ("runs", "curves", "scores")}


def test_there_is_one_row_a_run_and_split(tables, people):
    runs = tables["runs"]
    assert len(runs) == 6 * 3 and runs.groupby("key")["split"].apply(set).map(len).eq(3).all()
    assert set(runs["method"]) == {"erm", "group_dro"} and set(runs["seed"]) == {0, 1}
    assert runs[runs.split == "train"]["n"].iloc[0] + runs[runs.split == "val"]["n"].iloc[0] + \
        runs[runs.split == "test"]["n"].iloc[0] == len(people)
    assert set(runs["setting.eta"].dropna()) == {0.01, 0.1}
    assert json.loads(runs["settings"].iloc[-1])["eta"] == 0.1 and (runs["iteration"] == 30).all()


def test_measures_agree_with_scikit_learn_on_the_scores_table(tables):
    scores, runs = tables["scores"], tables["runs"].set_index(["key", "split"])
    for (key, split), part in scores.groupby(["key", "split"], observed=True):
        row = runs.loc[(key, split)]
        assert row["n"] == len(part) and row["n[M]"] == (part["group"] == "M").sum()
        assert row["accuracy"] == pytest.approx(accuracy_score(part["y"], part["predicted"]))
        assert np.array_equal(part["score"] >= 0.5, part["predicted"] == "yes")
        recalls = {group: recall_score(rows["y"], rows["predicted"], pos_label="yes")
                   for group, rows in part.groupby("group", observed=True)}
        assert row["tpr[F]"] == pytest.approx(recalls["F"]) and row["tpr.gap"] == pytest.approx(
            max(recalls.values()) - min(recalls.values()))
        cells = [accuracy_score(p["y"], p["predicted"]) for _, p in part.groupby(["y", "group"], observed=True)]
        assert row["accuracy.worst@subgroup"] == pytest.approx(min(cells))
        women = part[(part["group"] == "F") & (part["y"] == "yes")]
        assert row["n[yes, F]"] == len(women) and row["accuracy[yes, F]"] == pytest.approx(recalls["F"])


def test_the_last_evaluation_of_the_curves_is_the_runs_row(tables):
    curves, runs = tables["curves"], tables["runs"].set_index(["key", "split"])
    assert sorted(curves["iteration"].unique()) == [10, 20, 30] and len(curves) == 6 * 3 * 3
    for _, row in curves[curves.iteration == 30].iterrows():
        for name in ("accuracy", "tpr.gap", "accuracy[F]", "n"):
            assert row[name] == pytest.approx(runs.loc[(row["key"], row["split"])][name], nan_ok=True)


def test_the_loss_of_everyone_is_the_mean_over_rows(tables):
    scores, curves = tables["scores"], tables["curves"]
    part = scores[(scores.key == scores.key.iloc[0]) & (scores.split == "test")]
    truth = np.where(part["y"] == "yes", part["score"], 1 - part["score"])
    row = curves[(curves.key == part.key.iloc[0]) & (curves.split == "test") & (curves.iteration == 30)].iloc[0]
    assert row["loss"] == pytest.approx(-np.log(truth).mean(), rel=1e-4)
    women = part["group"].eq("F") & part["y"].eq("no")
    assert row["loss[no, F]"] == pytest.approx(-np.log(truth[women]).mean(), rel=1e-4)


def test_several_classes_have_a_score_each(run, folder):
    status, _, err = run({"data": "penguins", "roles": ..., "methods": ["erm"], "seeds": [0]})
    assert status == 0, err
    scores = pd.read_parquet(folder / "out" / "scores.parquet")
    columns = [name for name in scores if name.startswith("score[")]
    assert len(columns) == 3 and np.allclose(scores[columns].sum(axis=1), 1, atol=1e-5)
    best = scores[columns].to_numpy().argmax(1)
    assert (np.array([c[6:-1] for c in columns])[best] == scores["predicted"].astype(str)).all()
    assert "tpr" not in pd.read_parquet(folder / "out" / "runs.parquet")


def test_settings_that_are_words_here_and_numbers_there_still_fit_one_column():
    frames = [pd.DataFrame({"key": ["a"], "setting.x": ["word"]}), pd.DataFrame({"key": ["b"], "setting.x": [0.5]}),
              pd.DataFrame({"key": ["c"]})]
    whole = _together(frames)
    assert whole["setting.x"].iloc[:2].tolist() == ["word", "0.5"]
    assert whole["setting.x"].isna().tolist() == [False, False, True]
    assert list(_together([])) == ["key"]


def test_a_mixture_of_methods_is_written_whole(run, folder):
    methods = ["resample", "cb_loss", "group_thresholds", "class_weighted_logistic", "adversarial", "jtt",
               "gradient_boosting"]
    status, _, err = run({"methods": methods, "seeds": [0]})
    assert status == 0, err
    runs = pd.read_parquet(folder / "out" / "runs.parquet")
    assert set(runs["method"]) == set(methods) and runs["accuracy"].notna().all()
    rule = runs[(runs.method == "group_thresholds") & (runs.split == "val")].iloc[0]
    assert rule["selection_rate.gap"] <= rule["setting.gap_bound"] + 1e-9 or rule["note"]
    assert set(FILES) <= {p.name for p in (folder / "out").iterdir()}


def test_runs_are_put_in_the_order_of_positions(run, folder):
    run()
    store = SqlStore(folder / "out" / ".counterweight")
    cohorts = by_cohort(store.runs(store.studies()[0].id)[::-1])
    assert [[r.position for r in records] for records in cohorts] == [[0, 1, 2, 3], [0, 1]]
    store.close()
