"""The face for agents: the tools of a session over the Model Context Protocol."""
