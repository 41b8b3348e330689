"""The messages between the coordinator and the supervisor, word for word."""
