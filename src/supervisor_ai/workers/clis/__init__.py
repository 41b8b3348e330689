"""What the agents' commands print, and what it means."""
