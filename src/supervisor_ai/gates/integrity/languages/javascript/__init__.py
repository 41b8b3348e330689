"""JavaScript and TypeScript, read over one table."""
