"""The output of agent CLIs: JSON streams, usage, failures, and what they mean."""
