"""What people do with features."""
