"""What is decided about a feature besides its components."""
