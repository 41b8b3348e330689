"""Probes: tests with other values in them, and tests that must fail."""
