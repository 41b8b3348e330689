"""Shared moves: what drivers decide about steps, roles, gates and landings; names no driver."""
