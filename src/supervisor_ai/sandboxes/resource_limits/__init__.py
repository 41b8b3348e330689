"""Resource limits of sandboxed commands: cgroups, rlimits, disk use and what watches them."""
