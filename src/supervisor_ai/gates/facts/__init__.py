"""Facts of a change: how much it is, what it touches, and what of the public API it takes away."""
