"""Python, read over its table."""
