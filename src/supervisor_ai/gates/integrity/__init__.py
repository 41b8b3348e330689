"""Test integrity: whether a change makes the tests say less than before."""
