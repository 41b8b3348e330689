"""Prompts: what a worker is told, and the templates of it."""
