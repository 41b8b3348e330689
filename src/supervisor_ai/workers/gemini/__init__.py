"""Gemini CLI: how it is started and what it prints."""
