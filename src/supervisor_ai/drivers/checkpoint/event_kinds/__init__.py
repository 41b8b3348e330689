"""The facts of a resident supervisor, by what they are about."""
