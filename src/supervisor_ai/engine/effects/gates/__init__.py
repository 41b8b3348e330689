"""Performing gates: commands in a sandbox, and looks at the change itself."""
