"""Task files that were read before: a file that has not changed is read once."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

from msgspec import Struct

from supervisor_ai.documents.task_parser import ReadTask, read_task

MAX_FILES: Final = 2000
MAX_BYTES: Final = 32 * 1024 * 1024

Reading = Callable[[str, bytes], ReadTask]
_Key = tuple[str, bytes]


class _Kept(Struct, frozen=True, kw_only=True):
    read: ReadTask
    size: int


class TaskShelf:
    """Keeps what task files say by their path and the hash of their bytes, the latest ones only."""

    def __init__(
        self,
        reading: Reading = read_task,
        *,
        max_files: int = MAX_FILES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._reading = reading
        self._max_files = max_files
        self._max_bytes = max_bytes
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._bytes = 0
        # One Manager serves several runs, each in a thread of its own.
        self._lock = Lock()

    def read(self, path: str, content: bytes) -> ReadTask:
        """Return what a task file says."""
        key = (path, hashlib.sha256(content).digest())
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                return kept.read
        read = self._reading(path, content)
        with self._lock:
            self._keep(key, _Kept(read=read, size=len(content)))
        return read

    def _keep(self, key: _Key, kept: _Kept) -> None:
        if key in self._kept:
            return
        self._kept[key] = kept
        self._bytes += kept.size
        while len(self._kept) > self._max_files or self._bytes > self._max_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.size
