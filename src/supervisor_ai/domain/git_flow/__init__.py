"""What a run does to the user's branches: names, subjects, and what the user decides about them."""
