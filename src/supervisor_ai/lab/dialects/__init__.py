"""The wire formats of model services, one module each."""
