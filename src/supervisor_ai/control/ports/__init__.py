"""The application ports: what control asks of adapters, and of nobody below it."""
