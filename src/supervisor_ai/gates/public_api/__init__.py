"""Public API of a change, before and after, by language."""
