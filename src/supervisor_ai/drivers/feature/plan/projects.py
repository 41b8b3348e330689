"""The projects over which a feature goes: where they lie, what they wait for, what they publish."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

OUTSIDE: Final = "projects"
"""Where the files of other repositories lie while a feature is built."""
RECEIVES: Final = "published"
"""The directory of a project in which it finds what others publish, unless it says otherwise."""


class FeatureProject(Struct, frozen=True, kw_only=True):
    """A package of the repository, or another repository."""

    name: str
    path: str
    roles: tuple[str, ...] = ()
    """Who may build its components, the usual one first; none: everybody."""
    publishes: tuple[str, ...] = ()
    """Its files that those who depend on it get: paths, directories and patterns."""
    receives: str = RECEIVES
    depends_on: tuple[str, ...] = ()

    @property
    def is_outside(self) -> bool:
        """Tell whether it is another repository."""
        return is_outside(self.path)

    @property
    def place(self) -> str:
        """Return where its files lie while a feature is built; nothing: at the top."""
        if self.is_outside:
            return f"{OUTSIDE}/{self.name}"
        return "/".join(it for it in self.path.split("/") if it not in {"", "."})

    def file(self, name: str) -> str:
        """Return where one of its files lies while a feature is built."""
        return f"{self.place}/{name}" if self.place else name


class TreeCopy(Struct, frozen=True, kw_only=True):
    """Files of a project that another one gets."""

    within: str
    """Where the project lies that has them."""
    files: tuple[str, ...]
    """Paths, directories and patterns below it."""
    target: str
    """The directory that has them afterwards, and nothing else."""


def is_outside(path: str) -> bool:
    """Tell whether a path leads out of the repository."""
    return path.startswith(("/", "~")) or ".." in path.split("/")


def with_needs(
    names: Iterable[str], known: Mapping[str, FeatureProject]
) -> tuple[FeatureProject, ...]:
    """List the projects of these names and all that they depend on, as they stand in the config."""
    found: dict[str, None] = {}
    ahead = list(names)
    while ahead:
        name = ahead.pop()
        if name in known and name not in found:
            found[name] = None
            ahead += known[name].depends_on
    return tuple(it for it in known.values() if it.name in found)


def outside(projects: Sequence[FeatureProject]) -> tuple[FeatureProject, ...]:
    """List the projects that are repositories of their own."""
    return tuple(it for it in projects if it.is_outside)


def copies_of(projects: Sequence[FeatureProject], publisher: str) -> tuple[TreeCopy, ...]:
    """Say what those get that depend on a project."""
    found = next(it for it in projects if it.name == publisher)
    return tuple(
        TreeCopy(
            within=found.place,
            files=found.publishes,
            target=it.file(f"{it.receives}/{publisher}"),
        )
        for it in projects
        if publisher in it.depends_on and found.publishes
    )


def publication(project: str) -> str:
    """Name the step in which a project's files reach those who depend on it."""
    return f"publish.{project}"


def is_publication(node: str) -> bool:
    """Tell whether a step publishes something; no id of a component has a dot."""
    return node.startswith("publish.")
