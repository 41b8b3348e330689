"""How a person finds what the command offers: help pages, and names that a shell completes."""
