"""Python tests, read by the ast module of Python itself."""
