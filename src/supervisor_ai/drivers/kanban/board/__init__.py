"""The kanban driver: a loop over files in which a Manager decides and nobody else does."""
