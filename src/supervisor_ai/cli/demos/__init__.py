"""Demonstrations: small projects with scripted agents, shown at work."""
