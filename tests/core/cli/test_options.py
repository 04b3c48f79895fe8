from __future__ import annotations

from core.cli.main import make_parser


def test_attributes_may_be_repeated():
    options = make_parser().parse_args(["audit", "t.csv", "--attr", "a", "--attr", "b"])
    assert options.attr == ["a", "b"] and options.min_n == 10
