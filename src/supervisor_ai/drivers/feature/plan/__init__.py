"""What a feature is made of, and in which order it can be built."""
