"""The discipline of production jobs for AI coding agents."""
