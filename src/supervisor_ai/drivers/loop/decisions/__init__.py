"""What the loop does at each of its nodes."""
