"""Gates outside of a run: checked on any two commits, and tried in a project that has none yet."""
