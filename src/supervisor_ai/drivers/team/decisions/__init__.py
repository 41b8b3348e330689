"""What comes of an event, and of time, in a team: pure, as facts."""
