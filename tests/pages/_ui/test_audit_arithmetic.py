from __future__ import annotations

import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec


@pytest.fixture
def made(folder):
    def make(tables, **spec):
        """An audit of counts: sex -> (TN, FP, FN, TP)."""
        folder.mkdir(parents=True, exist_ok=True)
        rows = [(y, p, g) for g, cells in tables.items() for n, (y, p) in
                zip(cells, [("no", "no"), ("no", "yes"), ("yes", "no"), ("yes", "yes")], strict=True) for _ in range(n)]
        frame = pd.DataFrame(rows, columns=["y", "said", "sex"])
        data = save_upload(folder, "sums.csv", frame.to_csv(index=False).encode())
        return add_audit(folder, "Sums", data, AuditSpec("y", "yes", ("said",), attributes=("sex",), **spec)).id
    return make


def table(at):
    return next(d.value for d in at.dataframe if "needs" in d.value).set_index("group")


def test_other_base_rates_and_wrong_selections_mean_no_with_the_price(app, made):
    at = app("audit", audit=made({"men": (400, 100, 100, 400), "women": (720, 80, 40, 160)}), view="arithmetic")
    assert not at.exception
    assert "No: true positive rate, false positive rate, precision cannot all be equal here" in texts(at)
    assert "differs by 30.0 points" in texts(at) and "false positive rate would have to differ by 19.3" in texts(at)
    assert table(at).loc["women", "base"].startswith("20.0 %") and table(at).loc["women", "needs"].startswith("6.4 %")


def test_the_rate_that_gives_way_lies_in_the_address(app, made):
    ident = made({"men": (400, 100, 100, 400), "women": (720, 80, 40, 160)})
    at = app("audit", audit=ident, view="arithmetic", arithmetic_gives="ppv")
    assert "the precision would have to differ by" in texts(at)


def test_equal_base_rates_do_not_rule_it_out(app, made):
    at = app("audit", audit=made({"men": (40, 10, 10, 40), "women": (45, 5, 20, 30)}), view="arithmetic")
    assert "The rows at hand cannot rule it out" in texts(at)


def test_nobody_wrongly_selected_and_one_group_have_their_own_answers(app, made):
    at = app("audit", audit=made({"men": (50, 0, 10, 40), "women": (80, 0, 10, 10)}), view="arithmetic")
    assert "Yes, as long as nobody is wrongly selected" in texts(at)
    at = app("audit", audit=made({"men": (50, 5, 10, 40)}), view="arithmetic")
    assert "There is nothing to make equal" in texts(at)


def test_more_than_all_is_named_as_impossible(app, made):
    at = app("audit", audit=made({"men": (50, 50, 100, 800), "women": (500, 400, 20, 80)}), view="arithmetic")
    assert "For 1 group not even that is possible" in texts(at)
