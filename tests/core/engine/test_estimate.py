from __future__ import annotations

from dataclasses import replace

from toys import BUDGET, cohort_for

from core import registry
from core.engine.estimate import estimate, model_products, products_per_second

NET = registry.net("mlp")


def test_products_of_one_row_are_the_weights_that_multiply(task, erm):
    products, weights = model_products(task, cohort_for(erm), NET)
    assert products == 6 * 8 + 8 * 2 and weights == 6 * 8 + 8 + 8 * 2 + 2


def test_more_iterations_and_more_runs_cost_more(task, erm):
    def cost(**changes):
        return estimate(task, [cohort_for(erm, **changes)], {"erm": erm}, NET)

    base = cost()
    assert base.n_runs == base.n_models == 2 and base.seconds > 0 and base.bytes > 0
    assert cost(budget=replace(BUDGET, iterations=6000)).seconds > 10 * base.seconds
    assert cost(seeds=tuple(range(40))).bytes > 10 * base.bytes


def test_the_speed_of_this_machine_is_plausible():
    assert 1e8 < products_per_second() < 1e14


def test_products_of_attention_are_counted_at_every_token(task, erm):
    """6 inputs and the class token, one block, one head of 2: only the class token asks."""
    net = registry.net("ft_transformer")
    cohort = replace(cohort_for(erm), net_settings={"width": 2, "heads": 1, "blocks": 1})
    keys_values, asks, attention, rest = 2 * 7 * 2 * 2, 2 * 2, 2 * 7 * 2, 2 * 2 + 2 * 8 + 4 * 2 + 2 * 2
    assert model_products(task, cohort, net)[0] == keys_values + asks + attention + rest
