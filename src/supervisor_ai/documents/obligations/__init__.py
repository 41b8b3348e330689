"""What roles owe to the files of a kanban, judged by form only."""
