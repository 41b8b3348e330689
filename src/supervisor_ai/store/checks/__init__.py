"""What a ledger that nobody tampered with looks like, part by part."""
