"""Checkouts of a repository beside the user's own: one for each member of a team."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from supervisor_ai.workspaces.repositories.git import ask_as_user, failure, is_tracked


class LinkedCheckouts(Struct, frozen=True, kw_only=True):
    """Makes checkouts on branches of their own, out of the sight of the user's checkout."""

    checkout: Path

    def make(self, team: str, member: str) -> Path:
        """Check the current commit out for a member; a checkout that is there stays as it is."""
        folder, branch = self.checkout / ".supervisor/teams", f"team/{team}/{member}"
        place = folder / team / member
        if place.exists():
            return place
        place.parent.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n")
        known = ask_as_user(self.checkout, "rev-parse", "--verify", "-q", f"refs/heads/{branch}")
        words = (place, branch) if known.code == 0 else ("-b", branch, place)
        reply = ask_as_user(self.checkout, "worktree", "add", "--quiet", *words)
        if reply.code != 0:
            raise failure("worktree add", self.checkout, reply)
        return place

    @staticmethod
    def git_directories(place: Path, team: str) -> tuple[str, ...]:
        """Name what git writes when a member commits: its index, objects and branch."""
        branches = f"refs/heads/team/{team}"
        paths = [
            word for it in ("objects", branches, f"logs/{branches}") for word in ("--git-path", it)
        ]
        asked = ("rev-parse", "--path-format=absolute", "--git-dir", *paths)
        return tuple(ask_as_user(place, *asked).text.splitlines())

    @staticmethod
    def hide(place: Path, paths: Sequence[str]) -> None:
        """Keep files that are a member's own out of what is committed there."""
        asked = ("rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
        exclude = Path(ask_as_user(place, *asked).text)
        known = exclude.read_text(errors="replace") if exclude.exists() else ""
        new = [f"/{it}" for it in paths if f"/{it}" not in known.splitlines()]
        exclude.parent.mkdir(exist_ok=True)
        exclude.write_text("\n".join(filter(None, (known.rstrip("\n"), *new))) + "\n")
        ours = [it for it in paths if is_tracked(place, it)]
        if ours:
            ask_as_user(place, "update-index", "--skip-worktree", "--", *ours)
