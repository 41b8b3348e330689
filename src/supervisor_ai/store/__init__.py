"""The ledger on SQLite and the artifacts beside it."""
