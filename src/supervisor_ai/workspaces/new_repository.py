"""A new git repository of files that are there already."""

from pathlib import Path

from supervisor_ai.workspaces.git import Git


def commit_new_repository(directory: Path, *, author: str, message: str) -> None:
    """Commit all files of a directory as the first commit of a repository of its own."""
    (directory / ".git").mkdir()
    git = Git(directory=directory / ".git", work_tree=directory)
    git.run("init", "--quiet", "--initial-branch=main")
    git.run("add", "--all")
    identity = ("-c", f"user.name={author}", "-c", "user.email=demo@localhost")
    git.run(*identity, "commit", "--quiet", "--message", message)
