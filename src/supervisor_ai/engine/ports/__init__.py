"""Every protocol that the engine asks the world through."""
