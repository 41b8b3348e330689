"""Quality supervisors: when they look, what they may write, and what becomes of what they find."""
