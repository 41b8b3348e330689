"""Large things as files that are named by their content."""

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import HostFailure, NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.store.files.directory import private_directory, sync_all
from supervisor_ai.tools.file_lock import lock

DRAFTS: Final = "drafts"
_NAME: Final = re.compile(r"[0-9a-f]{64}")
_BLOCK: Final = bytes(1 << 16)


class FileArtifacts:
    """Keeps each text once, in a file that nobody else can read."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._synced: set[ArtifactHash] = set()

    def put(self, text: str) -> ArtifactHash:
        """Keep a text, synced to disk before the name is returned; one that is there stays."""
        content = _encoded(text)
        artifact = ArtifactHash(sha256(content).hexdigest())
        if self._is_kept(artifact, content):
            return artifact
        writer = self.writer()
        writer.write(text)
        return writer.finish()

    def put_all(self, texts: Sequence[str]) -> tuple[ArtifactHash, ...]:
        """Keep many texts; the disk is synced twice for all of them, not for each."""
        contents = {ArtifactHash(sha256(it).hexdigest()): it for it in map(_encoded, texts)}
        missing = {
            name: content for name, content in contents.items() if not self._is_kept(name, content)
        }
        if missing:
            with _translated(self._directory):
                self._write_all(missing)
        return tuple(ArtifactHash(sha256(_encoded(it)).hexdigest()) for it in texts)

    def _write_all(self, contents: Mapping[ArtifactHash, bytes]) -> None:
        drafts = self._directory / DRAFTS
        _make(self._directory)
        _make(drafts)
        guard = _share(drafts)
        try:
            written = {name: _draft(drafts, content) for name, content in contents.items()}
            sync_all(drafts)
            for name, draft in written.items():
                path = artifact_path(self._directory, name)
                if not path.parent.is_dir() or path.parent.is_symlink():
                    private_directory(path.parent)
                draft.replace(path)
                if tombstone(path).exists():
                    _shred(path)
            sync_all(drafts)
        finally:
            os.close(guard)
        self._synced.update(contents)

    def get(self, artifact: ArtifactHash) -> str:
        """Return the text; raises NotFound when it never existed or was erased."""
        path = artifact_path(self._directory, artifact)
        with _translated(path):
            if tombstone(path).exists():
                raise NotFound(f"Artifact {artifact!r} was erased.")
            if not path.exists():
                raise _unknown(artifact)
            content = path.read_bytes()
        if sha256(content).hexdigest() != artifact:
            raise HostFailure(
                f"Artifact {artifact!r} is not what was stored: {str(path)!r} was changed.",
                hint="Restore the file from a backup.",
            )
        return content.decode()

    def _is_kept(self, artifact: ArtifactHash, content: bytes) -> bool:
        """Tell whether the text is there, whole and unchanged; the name alone is not believed."""
        path = artifact_path(self._directory, artifact)
        if path.parent.is_symlink() or tombstone(path).exists() or not _holds(path, content):
            return False
        if artifact not in self._synced:
            # Whoever is writing it at this moment may not have come to that yet.
            with _translated(path):
                _sync(path.parent)
            self._synced.add(artifact)
        return True

    def writer(self) -> "FileArtifactWriter":
        """Begin an artifact whose content comes piece by piece."""
        return FileArtifactWriter(self._directory)

    def erase(self, artifact: ArtifactHash) -> None:
        """Remove the content for ever; the name stays known as erased."""
        path = artifact_path(self._directory, artifact)
        with _translated(path):
            if not path.exists() and not tombstone(path).exists():
                raise _unknown(artifact)
            tombstone(path).touch(mode=0o600)
            _shred(path)
            _sync(path.parent)


class FileArtifactWriter:
    """An artifact on its way to its name."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._digest = sha256()
        drafts = directory / DRAFTS
        with _translated(drafts):
            _make(directory)
            _make(drafts)
            self._guard = _share(drafts)
            try:
                descriptor, name = tempfile.mkstemp(dir=drafts)
            except OSError:
                os.close(self._guard)
                raise
        self._draft = Path(name)
        self._file = os.fdopen(descriptor, "wb")

    def write(self, text: str) -> None:
        """Add text."""
        content = _encoded(text)
        with self._abandoned_on_error():
            self._file.write(content)
        self._digest.update(content)

    def finish(self) -> ArtifactHash:
        """Sync it to disk and name it by its content."""
        artifact = ArtifactHash(self._digest.hexdigest())
        path = artifact_path(self._directory, artifact)
        with self._abandoned_on_error():
            self._file.flush()
            os.fsync(self._file.fileno())
            _make(path.parent)
            self._draft.replace(path)
            if tombstone(path).exists():
                _shred(path)
            _sync(path.parent)
        self.abandon()
        return artifact

    def abandon(self) -> None:
        """Forget what was written; harmless after `finish`."""
        if self._file.closed:
            return
        self._draft.unlink(missing_ok=True)
        with suppress(OSError):
            self._file.close()
        os.close(self._guard)

    @contextmanager
    def _abandoned_on_error(self) -> Iterator[None]:
        try:
            with _translated(self._draft):
                yield
        except BaseException:
            self.abandon()
            raise


def artifact_path(directory: Path, artifact: ArtifactHash) -> Path:
    """Return where an artifact is kept; raises NotFound for what cannot be a name."""
    if not _NAME.fullmatch(artifact):
        raise _unknown(artifact)
    return directory / artifact[:2] / artifact[2:]


def tombstone(path: Path) -> Path:
    """Return the mark that says that an artifact was erased."""
    return path.with_name(f"{path.name}.erased")


def _encoded(text: str) -> bytes:
    # A lone surrogate, which a worker's JSON may hold, has no place in UTF-8.
    return text.encode(errors="backslashreplace")


def _holds(path: Path, content: bytes) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        is_likely = stat.S_ISREG(found.st_mode) and found.st_size == len(content)
        return is_likely and file.read() == content


def _draft(drafts: Path, content: bytes) -> Path:
    descriptor, name = tempfile.mkstemp(dir=drafts)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return Path(name)


def _make(directory: Path) -> None:
    """Make a directory that survives a power failure."""
    if not directory.is_dir() or directory.is_symlink():
        private_directory(directory)
        _sync(directory.parent)


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _share(drafts: Path) -> int:
    """Join the writers in the drafts' directory; whoever is alone there first tidies up."""
    guard = os.open(drafts, os.O_RDONLY | os.O_CLOEXEC)
    if lock(guard, patience=0):
        for left_behind in drafts.iterdir():
            left_behind.unlink(missing_ok=True)
    lock(guard, is_shared=True)
    return guard


def _shred(path: Path) -> None:
    """Overwrite and remove the file; disks may keep old blocks, but no reader finds them."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        left = path.stat().st_size
        while left > 0:
            left -= file.write(_BLOCK[:left])
        file.flush()
        os.fsync(file.fileno())
    path.unlink()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise HostFailure(
            f"The artifact file {str(path)!r} cannot be used: {error.strerror}.",
            hint="Free some space on the disk, or make the directory writable for you.",
        ) from error


def _unknown(artifact: ArtifactHash) -> NotFound:
    return NotFound(f"There is no artifact {artifact!r}.")
