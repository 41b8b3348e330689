"""Git repositories: the one of the user, and bare ones of our own."""
