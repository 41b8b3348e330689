"""Interfaces while a feature is built: validated, unlocked and locked again."""
