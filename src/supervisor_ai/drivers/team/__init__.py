"""The team driver: the control plane of a team of agents, enforced instead of asked for."""
