"""Commands of the git flow: how a task begins on a branch, is completed, and comes back."""
