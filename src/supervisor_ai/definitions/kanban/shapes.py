"""The shape of what the config says about kanbans."""

from pathlib import PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.base import FileShape, Name
from supervisor_ai.definitions.schema.gates import MOST_GATES
from supervisor_ai.drivers.kanban.settings import ManagerKind

_MOST_ITERATIONS: Final = 10_000


def plain_folder(value: str) -> str:
    """Accept a folder of the project in which nothing but files for people belongs."""
    inner = scalars.inner_path(value)
    is_hidden = any(part.startswith(".") for part in PurePosixPath(inner).parts)
    if is_hidden or not inner.isprintable():
        raise ValueError(f"must be a folder of the project that is not hidden, found {value!r}")
    return inner


class KanbanShape(FileShape):
    """`kanban`: how the tasks of a kanban are worked on."""

    manager: Annotated[ManagerKind, Field(strict=False)] | None = None
    retry: Literal["exact", "with_error"] | None = None
    max_iterations: Annotated[int, Field(ge=1, le=_MOST_ITERATIONS)] | None = None
    gates: Annotated[list[Name], Field(max_length=MOST_GATES)] | None = None
    folder: Annotated[str, AfterValidator(plain_folder)] | None = None
