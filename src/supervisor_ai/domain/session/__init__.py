"""Sessions: members that work on something together, their messages and their tasks."""
