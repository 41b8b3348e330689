"""The kanban driver: a loop that follows a kanban's files from task to task."""
