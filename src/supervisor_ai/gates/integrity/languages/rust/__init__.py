"""Rust, read over its table."""
