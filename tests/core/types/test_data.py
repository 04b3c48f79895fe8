from __future__ import annotations

from toys import make_task


def test_a_subgroup_is_the_class_times_the_number_of_groups_plus_the_group():
    task = make_task(50, classes=3)
    assert (task.subgroup // task.n_attrs == task.y).all() and (task.subgroup % task.n_attrs == task.attr).all()
    assert task.n_classes == 3 and task.n_attrs == 2
