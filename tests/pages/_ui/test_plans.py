from __future__ import annotations

import pytest
from toys import make_task

from core import registry
from core.engine.plan import plan_cohorts
from core.types import TrainSpec
from pages._ui import plans


@pytest.mark.parametrize("name", list(plans.PLANS))
def test_every_plan_names_methods_and_settings_that_exist_and_can_be_trained(name):
    found = plans.specs(name, make_task())
    asked = plans.PLANS[name].methods
    assert {spec.name for spec in found} >= set(asked), "a plan names a method that is not there"
    for spec in found:
        assert set(spec.settings) == set(asked.get(spec.name, {})), "a plan names a setting that is not there"
    assert plan_cohorts(TrainSpec(found), registry.methods(), registry.net("mlp"))


def test_every_plan_has_the_reference_and_everything_leaves_out_the_looped():
    assert all("erm" in {spec.name for spec in plans.specs(name, make_task())} for name in plans.PLANS)
    assert all(registry.method(spec.name).stacked for spec in plans.specs("all", make_task()))


def test_three_classes_leave_out_what_needs_two():
    task = make_task(classes=3)
    assert "group_thresholds" not in plans.offered(task) and "group_thresholds" in plans.offered(make_task())
    assert plans.left_out(task) and not plans.left_out(make_task())


def test_every_family_and_need_of_the_registry_has_words():
    for method in registry.methods().values():
        assert method.family in plans.FAMILIES and method.needs <= set(plans.NEEDS), method.name


def test_methods_come_family_by_family_with_the_reference_first():
    order = [m.family for m in plans.offered(make_task()).values()]
    assert order[0] == "baseline" and order == sorted(order, key=list(plans.FAMILIES).index)


def test_no_group_labels_means_none_while_training():
    assert not any("attr_train" in registry.method(spec.name).needs for spec in plans.specs("blind", make_task()))


def test_filters_leave_what_fits_all_of_them():
    found = {name for name, m in registry.methods().items() if plans.fits(m, "ensemble", "", "stacked")}
    assert found == set(), "trees and classics are trained one after another"
    assert plans.fits(registry.method("group_dro"), "robust", "seen", "stacked")
    assert not plans.fits(registry.method("group_dro"), "robust", "blind")
    assert plans.families(registry.methods())[:2] == ["", "baseline"] and plans.family_words("") == "all"
