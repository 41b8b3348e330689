"""Which agent runs."""
