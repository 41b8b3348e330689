"""What crosses runs: the facts of the project's stream, and what they add up to."""
