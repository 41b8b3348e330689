"""Qwen Code: how it is started and what it prints."""
