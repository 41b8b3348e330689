"""What a change does that people should look at twice: calls and settings, wherever they stand."""
