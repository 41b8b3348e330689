"""What a worker is told of the knowledge store: documents found by words and chosen by rules."""
