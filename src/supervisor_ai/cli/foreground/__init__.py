"""A person who stays while a run goes on: lines, a live board, or the whole terminal UI."""
