"""Pipelines: the tasks that sessions begin with."""
