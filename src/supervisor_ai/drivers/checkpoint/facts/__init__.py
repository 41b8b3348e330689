"""What checks need to know of an artifact, read once and kept."""
