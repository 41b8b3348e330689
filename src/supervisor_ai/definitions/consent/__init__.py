"""What a project asks the user to trust, and what the user agreed to."""
