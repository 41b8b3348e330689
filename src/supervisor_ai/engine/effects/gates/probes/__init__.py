"""Probes: a green gate is asked what its own tests do not ask."""
