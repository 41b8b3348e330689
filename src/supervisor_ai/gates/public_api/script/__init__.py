"""Public API of TypeScript and JavaScript: entry points of packages and what they export."""
