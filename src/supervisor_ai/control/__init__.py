"""The one interface of all faces."""
