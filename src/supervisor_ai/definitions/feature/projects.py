"""What the config files say together about the projects of a feature."""

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import field
from pydantic import AfterValidator, Field

from supervisor_ai.definitions.config.merged import ConfigSection, MergedConfig, SectionSettings
from supervisor_ai.definitions.feature.shapes import File
from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.drivers.feature.plan.graph import project_cycle
from supervisor_ai.drivers.feature.plan.projects import RECEIVES, FeatureProject
from supervisor_ai.drivers.feature.plan.settings import ProjectList, ProjectOrder

KEY: Final = "projects"
ORDER: Final = "cross_project_dependencies"
_MOST: Final = 100


def _path(value: str) -> str:
    if not value.strip() or "\\" in value or not value.isprintable():
        raise ValueError(f"must be a path, found {value!r}")
    return value


Names = Annotated[list[Name], Field(max_length=_MOST)]


class ProjectShape(FileShape):
    """A package of the repository, or another repository."""

    name: Name
    path: Annotated[str, Field(max_length=500), AfterValidator(_path)]
    roles: Annotated[list[Name], Field(max_length=_MOST)] = Field(default_factory=list)
    publishes: Annotated[list[File], Field(max_length=_MOST)] = Field(default_factory=list)
    receives: File = RECEIVES


class ProjectOrderShape(FileShape):
    """What a project waits for."""

    depends_on: Names


class PlacedProjects(ProjectList, frozen=True, kw_only=True):
    """The projects, and where each of them was written."""

    places: tuple[FilePlace, ...] = ()


class PlacedOrder(ProjectOrder, frozen=True, kw_only=True):
    """Which project waits for which others, and where that was written."""

    places: dict[str, FilePlace] = field(default_factory=dict)


def _read_projects(config: MergedConfig) -> PlacedProjects:
    rows: Sequence[ProjectShape] = getattr(config.shape, KEY)
    return PlacedProjects(
        projects=tuple(
            FeatureProject(
                name=it.name,
                path=it.path,
                roles=tuple(it.roles),
                publishes=tuple(dict.fromkeys(it.publishes)),
                receives=it.receives.rstrip("/"),
            )
            for it in rows
        ),
        places=tuple(config.place(KEY, number) for number in range(len(rows))),
    )


def _check_projects(settings: SectionSettings, mistakes: FileMistakes) -> None:
    """Note names and places that are there twice."""
    listed = settings.section(PROJECTS)
    names: dict[str, FilePlace] = {}
    places: dict[str, str] = {}
    for project, place in zip(listed.projects, listed.places, strict=True):
        if names.setdefault(project.name, place) is not place:
            mistakes.add(place, f"the project {project.name!r} is there twice")
        other = places.setdefault(project.place, project.name)
        if other != project.name:
            mistakes.add(place, f"{project.name!r} lies where {other!r} lies, in {project.path!r}")


def _read_order(config: MergedConfig) -> PlacedOrder:
    rows: dict[str, ProjectOrderShape] = getattr(config.shape, ORDER)
    return PlacedOrder(
        needs={name: tuple(dict.fromkeys(it.depends_on)) for name, it in rows.items()},
        places={name: config.place(ORDER, name) for name in rows},
    )


def _check_order(settings: SectionSettings, mistakes: FileMistakes) -> None:
    """Note projects that nobody knows, and those that wait for each other in a circle."""
    order, known = settings.section(PROJECT_ORDER), settings.section(PROJECTS).projects
    names = [it.name for it in known]
    for name, needs in order.needs.items():
        for strange in [it for it in (name, *needs) if it not in names]:
            mistakes.add(order.places[name], unknown("project", strange, names))
    cycle = project_cycle(order.over(known))
    if cycle:
        mistakes.add(order.places[cycle[0]], f"is part of a dependency cycle: {' → '.join(cycle)}")


PROJECTS: Final = ConfigSection(
    key=KEY,
    shape=ProjectShape,
    form=Annotated[list[ProjectShape], Field(max_length=_MOST)],
    absent=list,
    build=_read_projects,
    check=_check_projects,
)
"""The section `projects` of the config."""
PROJECT_ORDER: Final = ConfigSection(
    key=ORDER,
    shape=ProjectOrderShape,
    form=dict[Name, ProjectOrderShape],
    absent=dict,
    build=_read_order,
    check=_check_order,
)
"""The section `cross_project_dependencies` of the config."""
