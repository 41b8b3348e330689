"""YAML files become validated domain objects."""
