"""One resolver per language: what a file imports, as files of the repository."""
