"""A knowledge store in memory: files of commits, and books that know no form but a heading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.drivers.quality.ports import Files, SettledKnowledge, WrittenKnowledge
from supervisor_ai.drivers.quality.supervisors import STORE
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces

HEADING = b"# "


@dataclass(slots=True)
class MemoryStoreFiles:
    """The commits of workspaces in memory."""

    workspaces: MemoryWorkspaces

    async def read(self, commit: CommitSha, folder: str) -> Files:
        """Read the markdown files below a folder."""
        files = self.workspaces.files(commit)
        return {
            path: text.encode()
            for path, text in files.items()
            if path.startswith(f"{folder}/") and path.endswith(".md")
        }

    async def sizes(self, commit: CommitSha, paths: Sequence[str]) -> Mapping[str, int]:
        """Say how many bytes some files have."""
        files = self.workspaces.files(commit)
        return {path: len(files[path].encode()) for path in paths if path in files}


class PlainBooks:
    """Takes every document that begins with a heading."""

    def settle(self, written: WrittenKnowledge) -> SettledKnowledge:
        """Keep what begins with a heading, and write down the items one by one."""
        changed = {
            path: text for path, text in written.after.items() if written.before.get(path) != text
        }
        good = {path: text for path, text in changed.items() if text.startswith(HEADING)}
        items = {
            f"{STORE}/lessons/{written.task}-{number}.md": f"# {it.content}\n".encode()
            for number, it in enumerate(written.items, 1)
        }
        files: dict[str, bytes | None] = {**good, **items}
        return SettledKnowledge(
            files=files,
            updated=tuple(files),
            refused=tuple((path, "has no heading") for path in changed if path not in good),
            reviews=sum(it.needs_user_review for it in written.items),
        )

    def promoted(self, files: Files, uses: Sequence[KnowledgeUse], task: str) -> SettledKnowledge:
        """Establish nothing."""
        del files, uses, task
        return SettledKnowledge(files={}, updated=())

    def is_empty(self, files: Files, owns: tuple[str, ...]) -> bool:
        """Tell whether there is no document in a supervisor's folders."""
        own = tuple(f"{STORE}/{folder}/" for folder in owns)
        return not any(path.startswith(own) for path in files) if own else True

    def digest(self, files: Files, *, most: int) -> str:
        """Name the documents."""
        return "\n".join(files)[:most]

    def directives(self, files: Files) -> tuple[str, ...]:
        """Return what people left."""
        folder = f"{STORE}/directives/"
        return tuple(text.decode() for path, text in files.items() if path.startswith(folder))
