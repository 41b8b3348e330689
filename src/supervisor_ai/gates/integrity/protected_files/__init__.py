"""Files that decide whether tests run and count: settings, snapshots, CI."""
