"""Who does what a supervisor asks for: every deed has a key, and doing it again changes nothing."""
