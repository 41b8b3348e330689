"""The screens and their keys."""
