"""The markdown that people and agents read and write: kanban and task files."""
