"""Queries of all faces: what is read, and the shapes in which it is shown."""
