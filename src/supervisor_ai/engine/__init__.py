"""Acts on decisions."""
