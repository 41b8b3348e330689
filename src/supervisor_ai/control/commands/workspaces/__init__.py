"""Commands about what runs leave behind: workspaces and snapshots."""
