"""The shapes of plans and of the section `features` of the config."""

import re
from pathlib import PurePosixPath
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from supervisor_ai.definitions.config.merged import ConfigSection, MergedConfig, over
from supervisor_ai.definitions.schema.base import AgentName, FileShape, Name
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plan_folder import FOLDER
from supervisor_ai.drivers.feature.plan.model import (
    InterfaceKind,
    Overlaps,
    StartWhen,
    UndeclaredFiles,
)
from supervisor_ai.drivers.feature.plan.settings import FeatureSettings
from supervisor_ai.drivers.feature.plan.terms import AccountLimit

KEY: Final = "features"
MOST_PHASES: Final = 100
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_TITLE: Final = 300
_DESCRIPTION: Final = 20_000
_DEFINITION: Final = 100_000
_CLOSED: Final = frozenset({".git", ".supervisor"})


def _id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError(
            f"{value!r} is no usable id: letters, digits, '-' and '_', at most 64 of them"
        )
    return value


def _file(value: str) -> str:
    """Accept a path, a directory or a pattern inside the project."""
    path = PurePosixPath(value)
    is_inside = not path.is_absolute() and ".." not in path.parts and bool(path.parts)
    if not is_inside or "\\" in value or not value.isprintable():
        raise ValueError(f"must be a path inside the project, found {value!r}")
    if path.parts[0] in _CLOSED:
        raise ValueError(f"must not be below {path.parts[0]!r}, found {value!r}")
    return value


Id = Annotated[str, AfterValidator(_id)]
File = Annotated[str, Field(max_length=500), AfterValidator(_file)]
Title = Annotated[str, Field(max_length=_TITLE)]
Description = Annotated[str, Field(max_length=_DESCRIPTION)]


class InterfaceShape(FileShape):
    """An interface that is locked before anybody builds."""

    name: Name
    type: Annotated[InterfaceKind, Field(strict=False)]
    definition: Annotated[str, Field(min_length=1, max_length=_DEFINITION)]


class ComponentShape(FileShape):
    """A component of a phase."""

    id: Id
    title: Title = ""
    description: Description = ""
    files: Annotated[list[File], Field(min_length=1, max_length=500)]
    depends_on: Annotated[list[str], Field(max_length=1_000)] = Field(default_factory=list)
    uses: Annotated[list[str], Field(max_length=1_000)] | None = None
    role: Name | None = None
    workflow: Name | None = None
    cli: AgentName | None = None
    project: Name | None = None
    estimate: Annotated[float, Field(gt=0, le=1e9, strict=False)] | None = None


class PhaseShape(FileShape):
    """A phase of a feature."""

    id: Id
    sequence: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    title: Title = ""
    start_when: Annotated[StartWhen, Field(strict=False)] = StartWhen.PHASES_COMPLETED
    checkpoint: Name | None = None
    project: Name | None = None
    components: Annotated[list[ComponentShape], Field(min_length=1)]
    interfaces: Annotated[list[InterfaceShape], Field(max_length=200)] = Field(default_factory=list)


class FeatureShape(FileShape):
    """A feature."""

    id: Id
    title: Title = ""
    description: Description = ""
    overlaps: Annotated[Overlaps, Field(strict=False)] = Overlaps.REFUSE
    external: Annotated[list[Title], Field(max_length=1_000)] = Field(default_factory=list)
    phases: Annotated[list[PhaseShape], Field(min_length=1, max_length=MOST_PHASES)]


class PlanShape(FileShape):
    """A plan's file."""

    feature: FeatureShape


Places = Annotated[int, Field(ge=1, le=64)]


class AccountShape(FileShape):
    """Agents that share an account."""

    clis: Annotated[list[AgentName], Field(min_length=1, max_length=100)]
    max_parallel: Places


class FeaturesShape(FileShape):
    """`features`: how many components are built at once, and how often one is built again."""

    max_parallel: Places | None = None
    clis: Annotated[dict[AgentName, Places], Field(max_length=100)] | None = None
    accounts: Annotated[dict[Name, AccountShape], Field(max_length=100)] | None = None
    max_returns: Annotated[int, Field(ge=0, le=20)] | None = None
    speculation: Annotated[int, Field(ge=1, le=16)] | None = None
    undeclared_files: Annotated[UndeclaredFiles, Field(strict=False)] | None = None


def read_features(config: MergedConfig) -> FeatureSettings:
    """Make the settings of what the files say together."""
    shape = config.section(KEY, FeaturesShape)
    accounts = {
        name: AccountLimit(clis=tuple(it.clis), max_parallel=it.max_parallel)
        for name, it in (shape.accounts or {}).items()
    }
    return replace(over(FeatureSettings(), shape), accounts=accounts)


FEATURES: Final = ConfigSection(key=KEY, shape=FeaturesShape, build=read_features, folder=FOLDER)
"""The section `features` of the config."""
