"""Tests by name from what runners print, where no single line tells all of it."""
