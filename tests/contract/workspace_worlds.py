"""Real git and its fake, as worlds in which the suites of workspaces run."""

from collections.abc import Mapping
from pathlib import Path

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.workspaces import Workspace, Workspaces
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.repositories.repository import GitRepository
from supervisor_ai.workspaces.workspaces import GitWorkspaces


class MemoryWorld:
    def __init__(self) -> None:
        self.memory = MemoryWorkspaces()

    @property
    def workspaces(self) -> Workspaces:
        return self.memory

    def commit(self, files: Mapping[str, str], *, parent: CommitSha | None = None) -> CommitSha:
        return self.memory.commit(files, parent=parent)

    def files(self, commit: CommitSha) -> Mapping[str, str]:
        return self.memory.files(commit)

    def write(self, workspace: Workspace, path: str, text: str | None) -> None:
        self.memory.write(workspace, path, text)

    def read(self, workspace: Workspace, path: str) -> str | None:
        return self.memory.read(workspace, path)

    def exists(self, workspace: Workspace) -> bool:
        return workspace.path in self.memory.open_paths

    def tip(self, ref: str) -> CommitSha | None:
        branches = {f"refs/heads/{name}": tip for name, tip in self.memory.branches.items()}
        return (branches | self.memory.refs).get(ref)

    def move(self, branch: str, commit: CommitSha) -> None:
        self.memory.branches[branch] = commit


class GitWorld:
    def __init__(self, path: Path) -> None:
        self.user = ScratchRepository(path / "home")
        self.repository = GitRepository(path / "home")
        self.state = path / "state"

    @property
    def workspaces(self) -> Workspaces:
        return GitWorkspaces(self.repository, self.state)

    def commit(self, files: Mapping[str, str], *, parent: CommitSha | None = None) -> CommitSha:
        return self.user.plant(files, parent=parent)

    def files(self, commit: CommitSha) -> Mapping[str, str]:
        paths = self.repository.list(commit, "")
        return {path: self.repository.read(commit, path) or "" for path in paths}

    def write(self, workspace: Workspace, path: str, text: str | None) -> None:
        place = workspace.path / path
        place.unlink(missing_ok=True)
        if text is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def read(self, workspace: Workspace, path: str) -> str | None:
        place = workspace.path / path
        return place.read_text() if place.exists() else None

    def exists(self, workspace: Workspace) -> bool:
        return workspace.path.exists()

    def tip(self, ref: str) -> CommitSha | None:
        return self.repository.tip(ref)

    def move(self, branch: str, commit: CommitSha) -> None:
        self.user.git.run("update-ref", f"refs/heads/{branch}", commit)
