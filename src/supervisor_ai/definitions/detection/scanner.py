"""From a list of paths to facts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.project_survey import ManifestEvidence
from supervisor_ai.definitions.detection import lines, trees
from supervisor_ai.definitions.detection.compose import compose
from supervisor_ai.definitions.detection.facts import ProjectFact
from supervisor_ai.definitions.detection.reader import BoundedReader

Reader = Callable[[str, str], Iterator[ProjectFact]]

_READERS: Final[tuple[tuple[str, Reader], ...]] = (
    ("pyproject.toml", trees.pyproject),
    ("Pipfile", trees.pyproject),
    ("Cargo.toml", trees.cargo),
    ("foundry.toml", trees.toml_keys),
    ("package.json", trees.package_json),
    ("requirements*.txt", lines.requirements),
    ("setup.cfg", lines.setup_cfg),
    ("tox.ini", lines.tox),
    ("noxfile.py", lines.nox),
    ("go.mod", lines.go_mod),
    ("pom.xml", lines.pom),
    ("build.gradle", lines.gradle),
    ("build.gradle.kts", lines.gradle),
    *((name, lines.makefile) for name in ("Makefile", "makefile", "GNUmakefile")),
    *((name, lines.justfile) for name in ("justfile", "Justfile", ".justfile")),
    *((f"{name}.{suffix}", compose) for name in ("compose*", "docker-compose*")
      for suffix in ("yml", "yaml")),
    ("*.yaml", lines.resource),
    ("*.yml", lines.resource),
)  # fmt: skip
"""The first pattern that a file's name matches says who reads it."""


def scan(
    paths: Iterable[str], reader: BoundedReader, wanted: frozenset[str]
) -> Iterator[ProjectFact]:
    """Find what the files' names and the manifests say; `wanted` are the facts of the table."""
    yield from _suffixes(paths, wanted)
    for path in paths:
        name = PurePosixPath(path).name
        if f"file:{name}" in wanted:
            yield ProjectFact(name=f"file:{name}", evidence=ManifestEvidence(file=path))
        read = next((read for pattern, read in _READERS if fnmatchcase(name, pattern)), None)
        if read is not None:
            text = reader.text(path)
            yield from read(path, text) if text is not None else ()


def count_suffixes(paths: Iterable[str]) -> Counter[str]:
    """Count the files by how their names end."""
    return Counter(f"suffix:{PurePosixPath(path).suffix}" for path in paths)


def _suffixes(paths: Iterable[str], wanted: frozenset[str]) -> Iterator[ProjectFact]:
    """Name one file for each ending of each directory: all of them would say no more."""
    seen: set[tuple[PurePosixPath, str]] = set()
    for path in map(PurePosixPath, paths):
        name = f"suffix:{path.suffix}"
        if name in wanted and (path.parent, name) not in seen:
            seen.add((path.parent, name))
            yield ProjectFact(name=name, evidence=ManifestEvidence(file=str(path)))
