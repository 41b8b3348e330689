"""The terminal UI: asks control and renders; every action is also a verb of the command line."""
