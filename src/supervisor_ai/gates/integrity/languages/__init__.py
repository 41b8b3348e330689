"""Reads the tests of languages that tree-sitter knows."""
