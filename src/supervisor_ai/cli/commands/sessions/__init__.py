"""Verbs for sessions and their messages."""
