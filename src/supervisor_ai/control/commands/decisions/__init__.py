"""What people do about a question of a run: decide, sign, comment, edit."""
