"""Doing what the loop decided: its roles are told, heard and held against the files."""
