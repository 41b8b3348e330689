"""What a merge of a component needs besides git: another tool, and the notes of workers."""
