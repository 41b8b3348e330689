"""Static analysis of tests in any language, over the table of the language."""
