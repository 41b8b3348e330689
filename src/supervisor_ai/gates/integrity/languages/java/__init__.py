"""Java, read over its table."""
