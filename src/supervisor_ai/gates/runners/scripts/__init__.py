"""Where a command leads: the scripts of a commit, down to the runners that they start."""
