"""How runners speak, and what their words mean."""
