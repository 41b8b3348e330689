"""The only ways out of a sandbox."""
