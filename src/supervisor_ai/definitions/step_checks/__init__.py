"""The steps of a workflow become steps of the domain, checked one by one and as a whole."""
