"""What a project needs and its sandbox lacks, told from what it only has yet to write.

A module that could not be loaded belongs to the surroundings if the project has it (and it is not
where it is looked for) or declares it; one that nobody knows may be what the task asks for.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.gates import Lack, LackKind, Missing

_MANIFEST: Final = re.compile(
    r"(?:.*/)?(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|Pipfile|environment\.ya?ml"
    r"|[\w.-]*requirements[\w.-]*\.(?:txt|in)|requirements/[\w.-]+\.(?:txt|in)|package\.json|go\.mod"
    r"|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|[\w.-]+\.gemspec|composer\.json)"
)
_MANIFESTS: Final = 200
_MANIFEST_BYTES: Final = 1 << 20
_SEPARATORS: Final = re.compile(r"[-_.]+")
_WORD: Final = re.compile(r"[@\w][\w./@-]*")
_OTHER_NAMES: Final = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "crypto": "pycryptodome",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "git": "gitpython",
    "jwt": "pyjwt",
    "pil": "pillow",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""What some modules of Python are called where they are declared."""


def find_lacks(commits: Commits, commit: CommitSha, missing: Iterable[Missing]) -> tuple[Lack, ...]:
    """Find out which of what is missing the project has or declares."""
    names = [part.name for part in missing if part.is_module and not _is_relative(part.name)]
    if not names:
        return ()
    files = commits.list(commit)
    paths = {PurePosixPath(file.path) for file in files}
    declared = _declared(commits, files)
    return tuple(lack for name in names if (lack := _lack(name, paths, declared)) is not None)


def _lack(name: str, paths: set[PurePosixPath], declared: frozenset[str]) -> Lack | None:
    if place := _place_of(name, paths):
        return Lack(name=name, kind=LackKind.OWN, place=place)
    if _place_of(name.partition(".")[0], paths):
        # A part of the project that is not there yet.
        return None
    first = name.partition(".")[0].lower()
    known = {_plain(name), _plain(first), _plain(_OTHER_NAMES.get(first, first))}
    return Lack(name=name, kind=LackKind.DECLARED) if known & declared else None


def _is_relative(name: str) -> bool:
    return name.startswith((".", "/", "crate", "self", "super"))


def _place_of(name: str, paths: set[PurePosixPath]) -> str | None:
    """Find the directory from which the project's own module could be loaded."""
    parts = tuple(name.split("."))
    for path in sorted(paths):
        stem = path.parent.parts if path.name == "__init__.py" else (*path.parent.parts, path.stem)
        if path.suffix == ".py" and stem[-len(parts) :] == parts:
            return "/".join(stem[: -len(parts)]) or "."
    return None


def _declared(commits: Commits, files: Iterable[CommitFile]) -> frozenset[str]:
    wanted = [
        file
        for file in files
        if file.size <= _MANIFEST_BYTES and _MANIFEST.fullmatch(file.path) is not None
    ]
    read = commits.read(wanted[:_MANIFESTS])
    return frozenset(word for _, contents in read for word in _words(contents))


def _words(contents: bytes) -> Iterator[str]:
    for word in _WORD.findall(contents.decode("utf-8", "replace")):
        yield _plain(word)


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name).strip("-").lower()
