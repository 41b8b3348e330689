"""The shapes of what a role is shown: `context` of a role, and strategy files."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.sources.mistakes import unknown
from supervisor_ai.domain.run.context_plan import SourceKind

INTERNALS: Final = "$IMPLEMENTATION_INTERNALS"
VARIABLES: Final[Mapping[str, SourceKind]] = {
    "$TARGET": SourceKind.TARGET,
    "$TARGET_IMPORTS": SourceKind.IMPORTS,
    "$INTERFACE_DEFINITIONS": SourceKind.INTERFACES,
    "$COMPONENT_PUBLIC_API": SourceKind.PUBLIC_API,
    "$CHANGED_FILES": SourceKind.CHANGED,
    "$DIFF": SourceKind.DIFF,
    "git diff --cached": SourceKind.DIFF,
    "git diff": SourceKind.DIFF,
    "$FILE_TREE": SourceKind.TREE,
    "$PLAN": SourceKind.PLAN,
    "$KNOWLEDGE": SourceKind.KNOWLEDGE,
    "$RULES": SourceKind.RULES,
}
"""What stands for something else than files that match a pattern."""


def source_text(value: str) -> str:
    """Accept a variable or a pattern of files."""
    if value in VARIABLES:
        return value
    if value == INTERNALS:
        raise ValueError(f"{value} can only be left out: write it into `exclude` or `hides`")
    if value.startswith("$"):
        raise ValueError(unknown("variable", value, sorted(VARIABLES)))
    if value.startswith("git "):
        raise ValueError(f"no command is run; of git there is 'git diff --cached', found {value!r}")
    return scalars.pattern(value)


def excluded(value: str) -> str:
    """Accept a pattern of files, or the name of what is nobody else's business."""
    if value.startswith("$") and value != INTERNALS:
        raise ValueError(unknown("variable", value, [INTERNALS]))
    return scalars.pattern(value)


def _one_or_many(value: object) -> object:
    return [value] if isinstance(value, str) else value


def short_or_long(value: object) -> object:
    """Read one word as the origin of a source."""
    return {"from": value} if isinstance(value, str) else value


SourceText = Annotated[str, AfterValidator(source_text)]
Excluded = Annotated[str, AfterValidator(excluded)]
Tokens = Annotated[int, Field(ge=500, le=2_000_000)]
Packer = Literal["native", "repomix"]


class ContextShape(FileShape):
    """`context`: what a role is shown of the repository."""

    strategy: Name | None = None
    include: list[SourceText] = Field(default_factory=list)
    always_include: list[SourceText] = Field(default_factory=list)
    exclude: list[Excluded] = Field(default_factory=list)
    token_budget: Tokens | None = None
    git_diff: bool | None = None
    packer: Packer | None = None


class SourceShape(FileShape):
    """One of `sources`: a variable or patterns, and how much of it is shown at most."""

    origin: Annotated[list[SourceText], BeforeValidator(_one_or_many), Field(min_length=1)] = Field(
        alias="from"
    )
    detail: Literal["full", "outline", "name"] = "full"
    depth: Annotated[int, Field(ge=1, le=5)] = 1
    share: Annotated[float, Field(gt=0, le=1, strict=False)] = 1.0
