"""The loop driver: a remit is scoped, planned task by task, built, judged and assessed."""
