"""The documents of the knowledge store: read tolerantly, written strictly."""
