"""Streams that no run owns, folded: the project's, those of sessions and those of slices."""
