"""What can be asked about checkpoints."""
