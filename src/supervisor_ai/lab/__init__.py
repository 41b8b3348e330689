"""A scripted model on loopback: rehearse a workflow, a limit or an outage at no cost."""
