"""Who is in a team: roles, how heavy its work is, whose approval a task needs, who comes first."""
