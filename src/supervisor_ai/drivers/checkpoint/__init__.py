"""The resident supervisor of a session: wakes, checks, scores, reports pass, warn or block."""
