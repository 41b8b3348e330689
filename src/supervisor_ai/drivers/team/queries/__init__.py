"""What can be asked about a team."""
