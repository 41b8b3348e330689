"""Verbs about sessions."""
