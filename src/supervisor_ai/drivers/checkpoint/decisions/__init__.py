"""What happens next to a supervisor, and at a checkpoint of a workflow: pure."""
