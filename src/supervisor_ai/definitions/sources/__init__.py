"""Where definition files stand and how they are read: bounded YAML, lines, mistakes."""
