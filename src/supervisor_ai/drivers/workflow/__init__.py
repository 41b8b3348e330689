"""The workflow driver: one task through a state machine of steps."""
