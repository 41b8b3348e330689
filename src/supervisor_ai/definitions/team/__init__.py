"""What the run of a team pins."""
