from __future__ import annotations

import pytest

from core import registry
from core.types import BadInput


def test_plugins_are_found_by_their_place():
    assert {"linear", "mlp", "cnn"} <= set(registry.nets())


@pytest.mark.parametrize("find", [registry.method, registry.metric, registry.dataset, registry.net])
def test_an_unknown_name_is_refused_with_the_known_ones(find):
    with pytest.raises(BadInput, match="one of"):
        find("no such thing")


def test_the_hint_says_a_or_an_as_the_word_asks():
    for find, words in ((registry.method, "choose a method"), (registry.net, "choose an architecture")):
        with pytest.raises(BadInput, match=words):
            find("no such thing")


def test_the_registry_cannot_be_changed():
    with pytest.raises(TypeError):
        registry.nets()["x"] = None


def test_metrics_are_listed_by_what_they_are_on():
    kinds = [set(registry.metrics(on)) for on in ("counts", "scores", "moments")]
    assert set(registry.metrics()) == kinds[0] and set.union(*kinds) == set(registry.metrics(""))
    assert {"for", "g_mean"} <= kinds[0] and {"bpsn_auc", "ece"} <= kinds[1] and {"ccc", "gme"} <= kinds[2]
