"""Git's list of all entries of a commit, with their sizes; several ask about the same commit."""

from functools import lru_cache

from supervisor_ai.domain.ids import CommitSha, is_full_sha
from supervisor_ai.workspaces.repositories.git import Git


def list_tree(git: Git, commit: CommitSha) -> bytes:
    """Return the entries, each ended by a zero byte."""
    return (_remembered if is_full_sha(commit) else _listed)(git, commit)


def _listed(git: Git, commit: CommitSha) -> bytes:
    return git.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit).output


_remembered = lru_cache(maxsize=1)(_listed)
