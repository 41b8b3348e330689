"""Code that makes tests pass without being right, found by what it says."""
