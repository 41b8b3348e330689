"""The plans of a project: read from a file, checked, and kept where they can be edited."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.feature.commands.plan_folder import DRAFT, ENDING, FOLDER, write_plan
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import Feature
from supervisor_ai.drivers.feature.plan.projects import FeatureProject
from supervisor_ai.drivers.feature.plan.settings import ProjectList, ProjectOrder
from supervisor_ai.drivers.feature.ports import PlanReader
from supervisor_ai.drivers.feature.runs import newest_of
from supervisor_ai.tools.text import nearest

_MOST_BYTES: Final = 1 << 20


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

    def projects(self, commit: CommitSha | None = None) -> tuple[FeatureProject, ...]:
        """Return the projects that the config of a commit names; None: of what is checked out."""
        at = commit or self.preflight.repository.resolve(None).sha
        listed = cast("ProjectList", self.preflight.catalog.section(at, "projects"))
        order = self.preflight.catalog.section(at, "cross_project_dependencies")
        return cast("ProjectOrder", order).over(listed.projects)


class KeptPlan(Struct, frozen=True, kw_only=True):
    """A plan that was read, and the file that has it."""

    feature: Feature
    file: Path
    text: str


def forms_of(office: FeatureOffice, feature: Feature) -> dict[str, InterfaceForm]:
    """Say of each interface, by its name, what a parser found in its text."""
    forms = office.reader.forms(feature.interfaces)
    return {it.name: form for it, form in zip(feature.interfaces, forms, strict=True)}


def read_plan(office: FeatureOffice, file: Path) -> KeptPlan:
    """Read a plan from a file; raises InvalidInput with every mistake in it."""
    text = file_text(office, file)
    feature = office.reader.read(_shown(file), text, office.projects())
    return KeptPlan(feature=feature, file=file, text=text)


def file_text(office: FeatureOffice, file: Path) -> str:
    """Read a file that a person names, as long as it is text and not too large."""
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


def unknown_roles(office: FeatureOffice, feature: Feature) -> tuple[str, ...]:
    """Say which roles nobody knows that components or their projects name."""
    commit = office.preflight.repository.resolve(None).sha
    known = [it.name for it in office.preflight.catalog.roles(commit)]
    named = [(it.role, f"component {it.id}") for it in feature.components if it.role is not None]
    named += [(role, f"project {it.name!r}") for it in feature.projects for role in it.roles]
    strange = {role: where for role, where in reversed(named) if role not in known}
    return tuple(_unknown_role(role, where, known) for role, where in strange.items())


def _unknown_role(role: str, where: str, known: Sequence[str]) -> str:
    near = nearest(role, known)
    guess = f" (did you mean {near!r}?)" if near else ""
    return f"The role {role!r} of {where} is not known{guess}. Define it before the feature is run."


def find_plan(office: FeatureOffice, name: str) -> KeptPlan:
    """Find a plan by the id of its feature, or by its file."""
    kept = office.folder / f"{name}{ENDING}"
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
    files = (it for it in office.folder.iterdir() if it.suffix == ENDING)
    return tuple(sorted(it.stem for it in files if it.is_file() and not it.is_symlink()))


def keep_plan(office: FeatureOffice, plan: KeptPlan) -> Path:
    """Keep a plan under the id of its feature, in place of an earlier one; all of it or nothing."""
    return write_plan(office.folder, plan.feature.id, plan.text)


def refuse_unfinished(office: FeatureOffice, feature: str) -> None:
    """Refuse to change a plan while a run builds it."""
    newest = newest_of(office.records, feature)
    if newest is not None and newest.is_unfinished:
        raise Conflict(
            f"Run {newest.row.id!r} builds the feature {feature!r} as it was planned.",
            hint=f"First: supervisor feature cancel {feature}",
        )


def text_to_edit(office: FeatureOffice, feature: str) -> str:
    """Return the text of a plan, or what an earlier edit left that had mistakes."""
    if feature not in plan_names(office):
        find_plan(office, feature)
        raise InvalidInput(
            f"{feature!r} is a file that is not kept here.",
            hint=f"First: supervisor feature load {feature}",
        )
    draft = draft_of(office, feature)
    return file_text(office, draft if draft.is_file() else office.folder / f"{feature}{ENDING}")


def keep_edited(office: FeatureOffice, feature: str, text: str, *, before: str) -> KeptPlan:
    """Keep what a person made of a text; with a mistake it is kept beside the plan, as a draft.

    So it is where somebody else has changed that text meanwhile.
    """
    draft = draft_of(office, feature)
    if text_to_edit(office, feature) != before:
        write_plan(office.folder, feature, text, ending=DRAFT)
        raise Conflict(
            f"Somebody has changed the plan of {feature!r} meanwhile. It was left as it is.",
            hint=f"What you typed is kept as {draft.name}; to go on from it: supervisor feature"
            f" edit {feature}",
        )
    try:
        read = _read_as(office, feature, text)
    except InvalidInput as error:
        write_plan(office.folder, feature, text, ending=DRAFT)
        hint = f"Nothing is lost: it is kept as {draft.name}. Mend it: supervisor feature edit"
        raise InvalidInput(error.message, hint=f"{hint} {feature}") from error
    plan = KeptPlan(feature=read, file=office.folder / f"{feature}{ENDING}", text=text)
    keep_plan(office, plan)
    draft.unlink(missing_ok=True)
    return plan


def _read_as(office: FeatureOffice, feature: str, text: str) -> Feature:
    read = office.reader.read(f"{feature}{ENDING}", text)
    if read.id != feature:
        raise InvalidInput(
            f"The plan of {feature!r} says that its id is {read.id!r}, and an id stays."
        )
    return read


def draft_of(office: FeatureOffice, feature: str) -> Path:
    """Name the file that has what an edit left which had mistakes."""
    return office.folder / f"{feature}{DRAFT}"
