"""The claims gate: what a worker reports about its work, compared with git."""
