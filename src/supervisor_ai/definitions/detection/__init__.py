"""What a project is made of, found by reading and never by running."""
