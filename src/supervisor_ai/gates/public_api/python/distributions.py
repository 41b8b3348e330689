"""Which code of Python others can install: what is only run where it lies has no users to break."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from supervisor_ai.gates.public_api.commit_side import CommitSide
from supervisor_ai.tools.toml import read_toml

_MANIFEST: Final = "pyproject.toml"
_LOCK: Final = "uv.lock"
_BUILDS: Final = ("setup.py", "BUILD", "BUILD.bazel", "meson.build", "meta.yaml", "recipe.yaml")
"""What may make a distribution, in ways that nobody reads here."""
_SECTION: Final = re.compile(rb"(?m)^\[(?:metadata|options)\]")
_TOOLS: Final = ("poetry", "flit")
_NO_PACKAGE: Final = (("poetry", "package-mode"), ("uv", "package"), ("pdm", "distribution"))
"""How tools are told that there is nothing to install."""
_PRIVATE: Final = "Private ::"
"""The beginning of a classifier that keeps a distribution from being published."""


class Distributions:
    """The places of a commit that others can install from; what nobody understands is one."""

    def __init__(self, side: CommitSide) -> None:
        self._side = side
        self._known: dict[str, bool | None] = {}

    def has(self, path: str) -> bool:
        """Tell whether a file belongs to something that others can install."""
        found = (self._told(folder) for folder in _folders(path))
        return next((it for it in found if it is not None), False)

    def _told(self, folder: str) -> bool | None:
        if folder not in self._known:
            self._known[folder] = self._read(folder)
        return self._known[folder]

    def _read(self, folder: str) -> bool | None:
        """Say whether a folder is a distribution; None: it says nothing about that."""
        files = self._side.files
        if f"{folder}{_MANIFEST}" in files:
            told = self._manifest(folder)
            if told is not None:
                return told
        if any(f"{folder}{it}" in files for it in _BUILDS):
            return True
        settings = f"{folder}setup.cfg"
        if settings in files:
            text = self._side.text(settings)
            return True if text is None or _SECTION.search(text) else None
        return None

    def _manifest(self, folder: str) -> bool | None:
        text = self._side.text(f"{folder}{_MANIFEST}")
        try:
            read = None if text is None else read_toml(text.decode())
        except (ValueError, RecursionError):
            read = None
        return (
            True
            if read is None
            else _judged(read, is_locked=f"{folder}{_LOCK}" in self._side.files)
        )


def _judged(manifest: Mapping[str, object], *, is_locked: bool) -> bool | None:
    project, tools = _table(manifest, "project"), _table(manifest, "tool")
    named = [_table(tools, it) for it in _TOOLS]
    if any(_table(tools, tool).get(key) is False for tool, key in _NO_PACKAGE):
        return False
    if any(_is_private(it) for it in (project, *named)):
        return False
    if "build-system" in manifest or any(named):
        return True
    # Without a build system uv, whose lock this is, installs what a project needs and not itself.
    return (not is_locked) if project else None


def _is_private(table: Mapping[str, object]) -> bool:
    said = table.get("classifiers")
    return isinstance(said, list) and any(str(it).startswith(_PRIVATE) for it in said)


def _table(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = values.get(name)
    return found if isinstance(found, dict) else {}


def _folders(path: str) -> Iterator[str]:
    """Return the folders of a file from the innermost one to the root."""
    folder = path.rpartition("/")[0]
    while folder:
        yield f"{folder}/"
        folder = folder.rpartition("/")[0]
    yield ""
