"""The structured answers of workers: found in their output, validated, weighed."""
