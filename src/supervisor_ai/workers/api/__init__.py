"""Models behind an API as workers for roles that need no tools."""
