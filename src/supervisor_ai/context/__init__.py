"""What a worker is told."""
