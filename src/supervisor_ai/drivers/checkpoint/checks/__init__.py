"""The checks of checkpoints: which there are, and what each finds in a session."""
