"""The plans of a project: read from a file, checked, and kept where they can be edited."""

import os
import tempfile
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound, Unavailable
from supervisor_ai.drivers.feature.plan.model import Feature
from supervisor_ai.drivers.feature.ports import PlanReader
from supervisor_ai.tools.text import nearest

FOLDER: Final = "features"
_MOST_BYTES: Final = 1 << 20
_ENDING: Final = ".yaml"


class FeatureOffice(Struct, frozen=True, kw_only=True):
    """Where features are planned: what is asked before, what is recorded, where a person stands."""

    preflight: Preflight
    reader: PlanReader
    records: Records | None
    start: Path

    @property
    def folder(self) -> Path:
        """Return where the plans are kept."""
        return self.preflight.repository.state_directory / FOLDER


class KeptPlan(Struct, frozen=True, kw_only=True):
    """A plan that was read, and the file that has it."""

    feature: Feature
    file: Path
    text: str


def read_plan(office: FeatureOffice, file: Path) -> KeptPlan:
    """Read a plan from a file; raises InvalidInput with every mistake in it."""
    text = _text(office, file)
    return KeptPlan(feature=office.reader.read(_shown(file), text), file=file, text=text)


def _text(office: FeatureOffice, file: Path) -> str:
    path = office.start / file
    try:
        with path.open("rb") as opened:
            found = opened.read(_MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {_shown(file)!r}.") from error
    except OSError as error:
        raise Unavailable(f"The file {_shown(file)!r} cannot be read: {error.strerror}.") from error
    if len(found) > _MOST_BYTES:
        raise InvalidInput(f"The file {_shown(file)!r} is larger than {_MOST_BYTES} bytes.")
    try:
        return found.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The file {_shown(file)!r} is not valid UTF-8.") from error


def _shown(file: Path) -> str:
    return str(file)


def find_plan(office: FeatureOffice, name: str) -> KeptPlan:
    """Find a plan by the id of its feature, or by its file."""
    kept = office.folder / f"{name}{_ENDING}"
    if name in plan_names(office):
        return read_plan(office, kept)
    if (office.start / name).is_file():
        return read_plan(office, Path(name))
    near = nearest(name, plan_names(office))
    hint = f"Did you mean {near!r}?" if near else "Load one: supervisor feature load FILE.yaml"
    raise NotFound(f"No feature is called {name!r}.", hint=hint)


def plan_names(office: FeatureOffice) -> tuple[str, ...]:
    """Name the features whose plans are kept here."""
    if office.folder.is_symlink() or not office.folder.is_dir():
        return ()
    files = (it for it in office.folder.iterdir() if it.suffix == _ENDING)
    return tuple(sorted(it.stem for it in files if it.is_file() and not it.is_symlink()))


def keep_plan(office: FeatureOffice, plan: KeptPlan) -> Path:
    """Keep a plan under the id of its feature, in place of an earlier one; all of it or nothing."""
    folder = office.folder
    if folder.is_symlink():
        raise Conflict(
            f"{str(folder)!r} is a link, and plans are kept in a directory.",
            hint="Remove the link.",
        )
    target = folder / f"{plan.feature.id}{_ENDING}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as draft:
            draft.write(plan.text)
        Path(draft.name).chmod(0o644)
        os.replace(draft.name, target)  # noqa: PTH105 - what a link leads to is not followed
    except OSError as error:
        raise Unavailable(
            f"The plan cannot be kept in {str(folder)!r}: {error.strerror}."
        ) from error
    return target
