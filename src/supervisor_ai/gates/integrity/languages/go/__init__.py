"""Go, read over its table."""
