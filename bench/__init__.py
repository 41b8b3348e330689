"""Measurements, as ratios against a peer or the floor in one run."""
