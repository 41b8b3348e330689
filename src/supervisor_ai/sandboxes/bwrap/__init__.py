"""The bubblewrap sandbox: command line, start, privileges, self-test."""
