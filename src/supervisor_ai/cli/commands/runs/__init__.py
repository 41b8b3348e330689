"""Verbs about runs and what they leave behind."""
