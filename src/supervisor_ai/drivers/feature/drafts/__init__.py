"""How a plan is made: a planner and a tech lead answer, and what they say is put together."""
