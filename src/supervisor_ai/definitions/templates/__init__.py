"""Workflows that build upon others: inheritance, changes to steps, settings and hooks."""
