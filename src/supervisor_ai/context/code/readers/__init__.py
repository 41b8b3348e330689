"""One reader per language: source text to entries."""
