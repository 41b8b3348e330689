"""Gates that look at what a change touches: auto-run files, changelog, complexity."""
