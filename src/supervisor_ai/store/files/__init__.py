"""Files beside the database: artifacts, retry logs, locks and the state directory."""
