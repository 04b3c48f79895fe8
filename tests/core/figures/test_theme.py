from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from core.figures.theme import COLORS, DASHES, NEUTRAL, SHAPES, directed, empty_chart, empty_figure, signs

# simulation of dichromats, Machado, Oliveira & Fernandes 2009, severity 1
SIGHT = {
    "common": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                [0.0193339, 0.1191920, 0.9503041]])


def linear(color):
    c = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    light, dark = sorted((float(linear(c) @ XYZ[1]) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    xyz = XYZ @ rgb / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("ground", ["#ffffff", "#101214"])
def test_colours_stand_out_on_both_grounds(ground):
    assert all(contrast(color, ground) >= 3 for color in COLORS)
    assert contrast(NEUTRAL, ground) >= 4


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_stay_apart_for_every_kind_of_sight(sight):
    seen = [lab(np.clip(np.array(SIGHT[sight]) @ linear(c), 0, 1)) for c in COLORS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 16


def test_a_label_keeps_its_sign_whatever_else_is_shown():
    everyone = signs(["women", "men", "missing"])
    assert everyone["men"] == signs(["women", "men"])["men"]
    assert signs(["a", "everyone", "b"])["b"] == signs(["a", "b"])["b"]
    assert signs(["everyone"])["everyone"].color == NEUTRAL


def test_sixty_four_labels_differ_by_more_than_colour():
    found = signs([f"group {i}" for i in range(64)])
    assert len({(s.color, s.shape) for s in found.values()}) == 64
    assert len({s.shape for s in list(found.values())[:8]}) == 8 == len(set(SHAPES)) == len(set(DASHES))


def test_axis_titles_say_where_better_is():
    assert directed("Accuracy", True) == "Accuracy (better →)"
    assert directed("Gap", False) == "Gap (← better)"
    assert directed("Gap", False, vertical=True) == "Gap (better ↓)"
    assert directed("Selection rate", None) == "Selection rate"


def test_empty_charts_say_why():
    assert "No runs" in str(empty_chart("No runs").to_dict())
    assert empty_figure("No scores").layout.annotations[0].text == "No scores"
