"""Public API of Go, Rust and Java: languages that say for each thing whom it is for."""
