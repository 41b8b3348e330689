"""The resident run of a team: what it remembers, decides and does, look by look."""
