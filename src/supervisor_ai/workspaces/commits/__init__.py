"""Commits made from workspaces: snapshots, checks, object import, merges and landing."""
