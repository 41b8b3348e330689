"""What can be asked of loops: to begin, to rest, to go on, to do something besides."""
