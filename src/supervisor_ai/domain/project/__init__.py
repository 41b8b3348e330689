"""What crosses runs: permits of the project stream."""
