"""The facts of a team's stream, by what they are about."""
