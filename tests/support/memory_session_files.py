"""The folders of sessions in memory."""

import hashlib
from collections.abc import Sequence
from itertools import count
from pathlib import PurePosixPath

from supervisor_ai.control.ports.session_files import FileGlimpse, FileListing, SessionFile
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput


class MemorySessionFolders:
    """Folders without a disk; whatever a test puts into `files` is what somebody wrote."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, bytes]] = {}

    def choose(self, session: str, directory: str | None) -> str:
        return directory or f".supervisor/sessions/{session}"

    def place(self, folder: str) -> str:
        return folder

    def prepare(self, folder: str, subfolders: Sequence[str] = ()) -> None:
        del subfolders
        self.files.setdefault(folder, {})

    def list(self, folder: str) -> FileListing:
        found = sorted(self.files.get(folder, {}).items())
        return FileListing(
            files=tuple(
                SessionFile(path=path, content=_hash(content), size=len(content))
                for path, content in found
                if not path.startswith(".msg/")
            )
        )

    def read(self, folder: str, path: str) -> str | None:
        content = self.files.get(folder, {}).get(path)
        return None if content is None else content.decode(errors="replace")

    def fetch(self, folder: str, path: str, most: int) -> bytes | None:
        content = self.files.get(folder, {}).get(path)
        if content is not None and len(content) > most:
            raise InvalidInput(f"The file {path!r} has more than {most} bytes.")
        return content

    def glimpse(self, folder: str, path: str) -> FileGlimpse | None:
        content = self.files.get(folder, {}).get(path)
        if content is None:
            return None
        return FileGlimpse(size=len(content), changed=int(_hash(content)[:12], 16), inode=1)

    def write_report(self, folder: str, name: str, text: str) -> str:
        if not PurePosixPath(name).match("CHECKPOINT-*-report.md") or "/" in name:
            raise Denied(f"{name!r} is no name of a checkpoint's report.")
        files, path, content = self.files.setdefault(folder, {}), f"artifacts/{name}", text.encode()
        before = files.get(path)
        if before not in {None, content}:
            stem = path.removesuffix(".md")
            free = next(it for n in count(1) if (it := f"{stem}.{n}.md") not in files)
            files[free] = before or b""
        files[path] = content
        return path

    def append_wisdom(self, folder: str, name: str, entry: str) -> str:
        if "/" in name or not name.endswith(".md"):
            raise Denied(f"{name!r} is no name of a file of wisdom.")
        files, path = self.files.setdefault(folder, {}), f"wisdom/{name}"
        before, block = files.get(path, b""), (entry.strip("\n") + "\n").encode()
        if block not in before:
            gap = b"" if before.endswith(b"\n") or not before else b"\n"
            files[path] = before + gap + block
        return path

    def replace(self, folder: str, path: str, content: bytes, *, expected: str | None) -> None:
        before = self.files.setdefault(folder, {}).get(path)
        if (None if before is None else _hash(before)) != expected:
            raise Conflict(f"Somebody has changed {path!r} meanwhile.")
        self.files[folder][path] = content

    def append(self, folder: str, path: str, content: bytes) -> None:
        files = self.files.setdefault(folder, {})
        files[path] = files.get(path, b"") + content


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
