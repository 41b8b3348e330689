"""Sessions: the one implementation of messages and tasks behind every door."""
