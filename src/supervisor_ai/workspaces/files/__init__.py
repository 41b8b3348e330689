"""Files below a directory that a hostile process may change: open, copy, remove, lock."""
