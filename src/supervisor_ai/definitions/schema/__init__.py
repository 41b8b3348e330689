"""The shapes of definition files: what may be written, by pydantic models."""
