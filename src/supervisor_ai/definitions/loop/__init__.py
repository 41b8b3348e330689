"""What a loop pins: its nodes, the gates between them, its roles and its supervisors."""
