"""The command line interface: parses arguments, asks control, prints."""
