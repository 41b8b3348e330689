"""Features: phases of components that many workers build at once, on one green branch."""
