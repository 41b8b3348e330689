"""Reads source code: outlines, public interfaces and imports."""
