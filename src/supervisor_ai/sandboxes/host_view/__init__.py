"""What of the host a sandbox shows: paths, package caches, and secrets that stay hidden."""
