"""What people and members do with a team, decided at once."""
