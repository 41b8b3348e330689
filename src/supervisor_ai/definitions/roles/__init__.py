"""Role files: read, inherited, merged, with where each value comes from."""
