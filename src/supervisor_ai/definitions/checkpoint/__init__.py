"""Definitions that only checkpoints have: the files of supervisors, and their answers."""
