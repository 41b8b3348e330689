"""Facts and decisions, pure."""
