"""Port of merges that a user asks for: the one way in which a branch of the user's is moved."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, TreeSha


class MergedTree(Struct, frozen=True, kw_only=True):
    """What a merge of two commits comes to, before anything of the user's is touched."""

    tree: TreeSha
    conflicts: tuple[str, ...] = ()
    """The files that nobody but a person can put together."""


class UserMerges(Protocol):
    """Merges commits where nobody sees it, and then moves a branch of the user's."""

    def current_branch(self) -> str | None:
        """Name the branch that is checked out, if one is."""
        ...

    def tip(self, branch: str) -> CommitSha | None:
        """Return where a branch stands."""
        ...

    def exists(self, commit: CommitSha) -> bool:
        """Tell whether a commit is still there."""
        ...

    def holds(self, tip: CommitSha, commit: CommitSha) -> bool:
        """Tell whether a merge of the commit would add nothing to the tip."""
        ...

    def took(self, tip: CommitSha, trailer: str, *, since: CommitSha) -> bool:
        """Tell whether a commit since then carries the trailer: what was squashed has no parent."""
        ...

    def is_behind(self, tip: CommitSha, commit: CommitSha) -> bool:
        """Tell whether the tip has nothing that the commit does not have."""
        ...

    def merge(self, ours: CommitSha, theirs: CommitSha) -> MergedTree | None:
        """Merge two commits; None where their histories have no common start."""
        ...

    def require_ready(self, branch: str, old: CommitSha, tree: TreeSha) -> None:
        """Raise Conflict where the branch cannot take the tree without losing anything."""
        ...

    def subject(self, commit: CommitSha) -> str:
        """Return the first line of a commit's message."""
        ...

    def commit(
        self, tree: TreeSha, parents: Sequence[CommitSha], message: str, *, is_signed: bool = True
    ) -> CommitSha:
        """Make a commit of the tree in the user's repository, in the user's name.

        Unless told otherwise it is signed where the user's git says so; raises SignatureMissing
        where that is not possible.
        """
        ...

    def move(self, branch: str, new: CommitSha, *, old: CommitSha) -> None:
        """Let the branch, and the checkout that it is in, stand at the commit.

        Raises BranchMoved, with everything as it was, if the branch stands elsewhere by now.
        """
        ...
