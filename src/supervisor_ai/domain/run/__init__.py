"""One run: its machine, its events and the workflow driver."""
