"""Application ports: what control and adapters ask of each other and the engine does not need."""
