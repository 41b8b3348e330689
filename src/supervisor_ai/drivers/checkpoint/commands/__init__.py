"""What can be asked for: a supervisor, a checkpoint, an override."""
