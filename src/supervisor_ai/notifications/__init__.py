"""How people are told: one module for each kind of channel."""
