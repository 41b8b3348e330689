"""Packs from elsewhere: found, examined, installed and kept as they were."""
