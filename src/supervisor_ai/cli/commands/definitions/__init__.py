"""Verbs about definitions: workflows, roles, gates, and what workers are told."""
