"""What follows when workers fail: retries, breaker, loops, degradation, limits that end."""
