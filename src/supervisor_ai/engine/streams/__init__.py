"""Streams that no run owns, folded: the project's and those of sessions."""
