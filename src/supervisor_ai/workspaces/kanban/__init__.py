"""The files of a kanban: on the branch of a run or in a plain directory."""
