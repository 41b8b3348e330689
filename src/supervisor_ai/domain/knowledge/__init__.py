"""What a project knows: documents, what may change them, how they become firm, who is told."""
