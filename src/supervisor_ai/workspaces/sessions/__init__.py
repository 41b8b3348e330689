"""The folders of sessions on the disk."""
