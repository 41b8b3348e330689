"""The kinds of facts of a run, by what they are about."""
