"""Pull requests on GitHub, with the git and gh of the user."""
