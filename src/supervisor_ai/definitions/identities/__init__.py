"""Who signed something, and who the user says that is."""
