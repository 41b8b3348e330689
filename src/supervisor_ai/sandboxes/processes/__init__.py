"""Processes of sandboxed commands: output, file descriptors, users, and killing them."""
