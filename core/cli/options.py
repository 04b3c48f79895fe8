"""Options of the commands that read a table of predictions: cheap to import, so that --help is quick."""

from __future__ import annotations

import argparse


def _table(command: argparse.ArgumentParser) -> None:
    command.add_argument("table", metavar="TABLE", help="a table's file or the name of a built-in data set")
    command.add_argument("--positive", metavar="VALUE", default="", help="the value of the label that means yes")
    command.add_argument("--attr", metavar="COL", action="append", default=[], help="attribute column; may be repeated")
    command.add_argument("--weight", metavar="COL", default="", help="column of sample weights")
    command.add_argument("--missing", choices=("group", "exclude"), default="group", help="rows without an attribute")
    command.add_argument("--score-kind", choices=("probability", "logit", "points"), default="probability",
                         help="what the scores are")


def add_audit(commands) -> None:
    """python -m core audit."""
    command = commands.add_parser("audit", help="measure predictions by group", description="Measure predictions by "
                                  "group, with intervals and reasons. No model is needed.")
    _table(command)
    command.add_argument("--label", metavar="COL", default="", help="column of true labels; none: selection only")
    command.add_argument("--prediction", metavar="COL", default="", help="column of predicted classes")
    command.add_argument("--score", metavar="COL", default="", help="column of scores")
    command.add_argument("--threshold", metavar="T", type=float, help="selected where score >= T")
    command.add_argument("--each", action="store_true", help="one audit per attribute, not their intersection")
    command.add_argument("--person", metavar="COL", default="", help="rows with the same value are one person's")
    command.add_argument("--reference", metavar="a=1,b=x", default="", help="values of the reference group")
    command.add_argument("--min-n", metavar="N", type=int, default=10, help="smaller groups are left out of the worst")
    command.add_argument("--level", metavar="L", type=float, default=0.95, help="confidence level of the intervals")
    command.add_argument("--fail-if", metavar="RULE", action="append", default=[],
                         help='exit with 1 where it holds, e.g. "tpr.gap>0.1"')


def add_front(commands) -> None:
    """python -m core front."""
    command = commands.add_parser("front", help="exact fronts over group thresholds", description="The exact front of "
                                  "an objective against a gap over one threshold per group.")
    _table(command)
    command.add_argument("--label", metavar="COL", required=True, help="column of true labels")
    command.add_argument("--score", metavar="COL", required=True, help="column of scores")
    command.add_argument("--objective", default="accuracy",
                         choices=("accuracy", "balanced_accuracy", "f1", "expected_cost"), help="what is worth more")
    command.add_argument("--gap", default="demographic_parity", help="what is compared between groups",
                         choices=("demographic_parity", "equal_opportunity", "predictive_equality", "equalized_odds",
                                  "accuracy_parity"))
    command.add_argument("--shared", action="store_true", help="add the front of one common threshold")
    command.add_argument("--randomised", action="store_true",
                         help="add what coins between two rules reach on average: expected values")
    command.add_argument("--cost-fp", type=float, default=1.0, help="cost of a false positive")
    command.add_argument("--cost-fn", type=float, default=1.0, help="cost of a false negative")
    command.add_argument("--resolution", type=float, default=0.001, help="width of rate cells; 0 is exact")
