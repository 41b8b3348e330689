"""Verbs that set up a project and a machine, and look after them."""
