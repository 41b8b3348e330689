"""The shapes of what concerns people: approvals and notifications."""
