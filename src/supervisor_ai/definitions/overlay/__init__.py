"""Definition files laid over each other, with where each value comes from."""
