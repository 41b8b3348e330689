"""Git: isolated workspaces, snapshots, integration."""
