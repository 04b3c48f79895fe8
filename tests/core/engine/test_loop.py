from __future__ import annotations

import pytest
from toys import cohort_of, pool_of

from core import registry
from core.engine.loop import Cancelled, advance, make_stack
from core.engine.stack import draw_weights


def stack_of(task, erm):
    cohort = cohort_of(erm, seeds=(0, 1))
    weights = draw_weights(task, erm, registry.net("mlp"), cohort, [0, 1])
    return make_stack(
        task, erm, registry.net("mlp"), cohort, [0, 1], pool_of(task, erm, cohort), weights, {}, stage=1
    )


def test_advance_stops_exactly_where_told_and_ticks_before_every_batch(task, erm):
    stack, ticks = stack_of(task, erm), []
    advance(stack, 70, ticks.append)
    assert stack.iteration == 70 and ticks == list(range(70))


def test_a_tick_may_cancel_and_the_stack_can_go_on(task, erm):
    stack = stack_of(task, erm)

    def stop(i):
        if i == 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        advance(stack, 20, stop)
    assert stack.iteration == 5
    advance(stack, 20, lambda i: None)
    assert stack.iteration == 20


def test_a_checkpoint_is_a_copy(task, erm):
    stack = stack_of(task, erm)
    saved = stack.checkpoint()
    before = saved["weights/head.w"].clone()
    advance(stack, 5, lambda i: None)
    assert (saved["weights/head.w"] == before).all() and not (stack.weights["head.w"] == before).all()
