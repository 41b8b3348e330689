"""Files of commits, as loops and quality supervisors read them."""
