"""Secrets that providers of services give out, by the forms that they publish."""
