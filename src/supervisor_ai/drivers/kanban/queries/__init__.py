"""Queries about kanbans: how one stands, what happened to it, which runs worked on it."""
