"""The verbs with which people decide about what runs have made."""
