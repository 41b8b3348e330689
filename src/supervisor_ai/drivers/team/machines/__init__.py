"""The machines of a team, each with its table and its decisions."""
