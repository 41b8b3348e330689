"""Everything that is defined, read together, and what is asked of it."""
