"""Metrics of regression: formulas over the sums that core.moments makes."""
