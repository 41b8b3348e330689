"""What people are shown of features."""
