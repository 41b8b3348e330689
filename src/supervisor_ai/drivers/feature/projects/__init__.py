"""Features over several projects: what is brought in, handed on, and landed in all or none."""
