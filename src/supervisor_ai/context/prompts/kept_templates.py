"""Templates as they were compiled, kept between processes: it takes longer than to render them.

Whoever can write where they are kept can do what this process can: that place is the user's own.
"""

import os
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Final

from supervisor_ai.context import material

if TYPE_CHECKING:
    from jinja2 import Environment

_MOST: Final = 64
"""So many are kept; then all of them go, and those in use come back."""


class KeptTemplates:
    """Keeps compiled templates in the files of jinja's own cache."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def compiled(self, source: str, environment: "Environment") -> CodeType:
        """Return a template as it was compiled, now or before."""
        from jinja2 import FileSystemBytecodeCache

        cache = FileSystemBytecodeCache(os.fspath(self._directory))
        try:
            bucket = cache.get_bucket(environment, self._name(source), None, source)
        except Exception:  # noqa: BLE001 - what is damaged counts as nothing, however it is
            cache.clear()
            return environment.compile(source)
        if bucket.code is None:
            bucket.code = environment.compile(source)
            # Where it cannot be kept, the next process compiles it again, as this one did.
            with suppress(OSError):
                if sum(1 for _ in self._directory.iterdir()) >= _MOST:
                    cache.clear()
                cache.set_bucket(bucket)
        return bucket.code

    def _name(self, source: str) -> str:
        """Name the template and the code that reads it."""
        from jinja2 import __version__

        from supervisor_ai.tools import templates

        digest = sha256(f"{sys.version} {__version__} {source}".encode())
        for file in (templates.__file__, material.__file__):
            digest.update(Path(file).read_bytes())
        return digest.hexdigest()
