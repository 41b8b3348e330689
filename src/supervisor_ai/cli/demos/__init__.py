"""Demonstrations that type commands for a person who watches."""
