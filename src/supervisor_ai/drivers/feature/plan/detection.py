"""Which components need which, as their code says, held against what the plan says."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.claims import is_pattern, overlap
from supervisor_ai.drivers.feature.plan.model import Component, ComponentId, Feature

_PYTHON: Final = (".py", ".pyi")
_TOPS: Final = frozenset({"@", "~"})
_WHOLE: Final = (
    r"(?m)^[ \t]*(?:import|export)\b(?:(?!\n[ \t]*(?:import|export)\b)[^;]){{0,2000}}?{word}"
)
_FORMS: Final = {".go": 'import "{}"', ".rs": "use {}", ".java": "import {}"}


class FoundImport(Struct, frozen=True, kw_only=True):
    """A name that a file imports, and the files behind it."""

    name: str
    files: tuple[str, ...] = ()
    """Nothing: it leads out of the repository, or nowhere yet."""
    is_external: bool = False
    """Whether a package that the project names, or its language, has it."""


Imports = Mapping[str, Sequence[FoundImport]]
"""What each file imports."""


class DetectedEdge(Struct, frozen=True, kw_only=True):
    """A component whose code uses another's."""

    component: ComponentId
    needs: ComponentId
    file: str
    statement: str
    is_planned: bool
    """Whether the plan has the one wait for the other, directly or not."""


class UnconfirmedImport(Struct, frozen=True, kw_only=True):
    """An import of which nobody can tell whether it is a component's or a package's."""

    component: ComponentId
    name: str
    file: str
    statement: str


class DetectedDependencies(Struct, frozen=True, kw_only=True):
    """What the code of a feature says about its components."""

    edges: tuple[DetectedEdge, ...] = ()
    unconfirmed: tuple[UnconfirmedImport, ...] = ()

    @property
    def unplanned(self) -> tuple[DetectedEdge, ...]:
        """Return the edges that the code has and the plan does not."""
        return tuple(it for it in self.edges if not it.is_planned)


def claimed_files(feature: Feature, present: Sequence[str]) -> dict[str, ComponentId]:
    """Say which component has which file: those that are there, and those that it will write."""
    found: dict[str, ComponentId] = {}
    for component in feature.components:
        for claim in component.files:
            if not is_pattern(claim) and not claim.endswith("/"):
                found.setdefault(claim, component.id)
    for component in feature.components:
        for path in present:
            if path not in found and any(overlap(claim, path) for claim in component.files):
                found[path] = component.id
    return found


def detect(
    feature: Feature, owners: Mapping[str, ComponentId], imports: Imports
) -> DetectedDependencies:
    """Make edges between components of what their files import; each is told once."""
    edges: dict[tuple[ComponentId, ComponentId], DetectedEdge] = {}
    unconfirmed: dict[tuple[ComponentId, str], UnconfirmedImport] = {}
    above, named = _all_needs(feature), _without_endings(owners)
    for file, found in imports.items():
        component = owners.get(file)
        if component is None:
            continue
        for written in found:
            it = _led(written, named)
            told = statement(file, it.name)
            for needs in _needed(owners, it, component):
                edges.setdefault(
                    (component, needs),
                    DetectedEdge(
                        component=component,
                        needs=needs,
                        file=file,
                        statement=told,
                        is_planned=needs in above[component],
                    ),
                )
            is_known = it.is_external or package_of(it.name) in feature.external
            if not it.files and not is_known:
                unknown = UnconfirmedImport(
                    component=component, name=it.name, file=file, statement=told
                )
                unconfirmed.setdefault((component, it.name), unknown)
    return DetectedDependencies(
        edges=tuple(edges.values()), unconfirmed=tuple(unconfirmed.values())
    )


def _without_endings(owners: Mapping[str, ComponentId]) -> dict[str, str]:
    """Name the files of components as imports do that leave their endings out."""
    return {path.rpartition(".")[0] or path: path for path in owners}


def _led(found: FoundImport, named: Mapping[str, str]) -> FoundImport:
    """Follow an import from the top of a project to the file of a component, in any language.

    Where no settings of the project say where `@/` leads, it is the project itself or its sources.
    """
    head, _, rest = found.name.partition("/")
    if found.files or found.is_external or head not in _TOPS:
        return found
    path = named.get(rest) or named.get(f"src/{rest}")
    return found if path is None else replace(found, files=(path,))


def _needed(
    owners: Mapping[str, ComponentId], found: FoundImport, component: ComponentId
) -> Iterator[ComponentId]:
    for path in found.files:
        owner = owners.get(path)
        if owner is not None and owner != component:
            yield owner


def _all_needs(feature: Feature) -> dict[ComponentId, set[ComponentId]]:
    """Gather for each component all that it waits for by its own words, directly or not."""
    parts: dict[ComponentId, Component] = {it.id: it for it in feature.components}
    found: dict[ComponentId, set[ComponentId]] = {}
    for component in feature.components:
        reached: set[ComponentId] = set()
        ahead = list(component.depends_on)
        while ahead:
            need = ahead.pop()
            if need not in reached:
                reached.add(need)
                ahead += parts[need].depends_on
        found[component.id] = reached
    return found


def package_of(name: str) -> str:
    """Return what an import is remembered by: its module, without the names that it takes."""
    return name.partition(" ")[0]


def quoted(text: str, name: str) -> str | None:
    """Find an import of a module in JavaScript or TypeScript, as it stands; None: it is not there.

    It may go over several lines, in which no other import begins.
    """
    word = f"['\"]{re.escape(name)}['\"]"
    found = re.search(_WHOLE.format(word=word), text) or re.search(f"(?m)^.*{word}.*$", text)
    return " ".join(found[0].split()).rstrip(";") if found else None


def statement(file: str, name: str) -> str:
    """Write an import as its language does."""
    ending = f".{file.rpartition('.')[2]}"
    if ending in _PYTHON:
        module, _, names = name.partition(" ")
        return f"from {module} import {', '.join(names.split())}" if names else f"import {module}"
    return _FORMS.get(ending, "import '{}'").format(name)


def module_of(said: str) -> str | None:
    """Return the module of an import of JavaScript that was only put into words."""
    head, quote, rest = said.partition("import '")
    return rest[:-1] if quote and not head else None
