"""Public API that is written down: OpenAPI and JSON Schema."""
