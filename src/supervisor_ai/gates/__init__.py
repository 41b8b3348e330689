"""What must hold: how runners speak, what workers claim, what changes do to tests."""
