"""The folder of a session: what it says comes into the ledger, and is written from it."""
