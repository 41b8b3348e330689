"""How the tools that people install for themselves are found, and what of them is shown."""
