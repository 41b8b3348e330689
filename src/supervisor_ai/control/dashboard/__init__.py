"""What faces that stay open show of a project: a board, one run, a question, a diff."""
