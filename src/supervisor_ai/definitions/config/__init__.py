"""The config files merged into the settings that hold."""
