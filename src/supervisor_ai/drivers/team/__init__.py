"""Team: the control plane of a team of agents, with one writer and a table for every rule."""
