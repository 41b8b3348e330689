"""Drivers: one folder for each kind of run, and the moves that several of them share."""
