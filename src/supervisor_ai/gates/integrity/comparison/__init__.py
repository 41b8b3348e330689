"""Comparison of the tests before and after a change: what says less than it did."""
