"""The approval policy of the config files: its shape, what it means, and who may loosen it."""
