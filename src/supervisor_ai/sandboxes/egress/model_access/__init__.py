"""Model requests of a sandbox: credential broker, routes, token counts and spending."""
