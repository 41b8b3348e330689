"""What can be asked about loops."""
