"""How the commands of agents are started: arguments, variables and files of a home, as tables."""
