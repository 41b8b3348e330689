"""Sandboxes that a container engine makes: podman and docker."""
