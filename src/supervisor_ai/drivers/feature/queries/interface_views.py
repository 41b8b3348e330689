"""How the interfaces of a feature stand: locked or not, and who validated them."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.interfaces.book import Unlock, UnlockStage
from supervisor_ai.drivers.feature.interfaces.checks import InterfaceCheck
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm, interface_file
from supervisor_ai.drivers.feature.plan.model import Interface
from supervisor_ai.drivers.feature.state import FeatureState


class InterfaceStatus(StrEnum):
    """Where an interface stands."""

    PLANNED = "planned"
    """It is on no branch yet."""
    LOCKED = "locked"
    """Its file is on the feature's branch, and no component changes it."""
    UNLOCKING = "unlocking"
    """Somebody wants to change it, and a person has to agree."""
    UNLOCKED = "unlocked"
    """It may be locked again with another definition; what depends on it waits."""


class InterfaceValidation(Struct, frozen=True, kw_only=True):
    """Who looked at an interface, and what came of it."""

    by: str | None
    """The tool or parser; None: nobody here can tell."""
    verdict: Verdict
    scope: str
    """Its own file, or all files of the project."""


class InterfaceView(Struct, frozen=True, kw_only=True):
    """An interface of a phase."""

    name: str
    type: str
    file: str
    status: InterfaceStatus = InterfaceStatus.PLANNED
    validated: tuple[InterfaceValidation, ...] = ()
    """What was found when it was locked, or by a parser when the plan was read."""
    warnings: tuple[str, ...] = ()


class InterfacePage(Struct, frozen=True, kw_only=True):
    """An interface with its text, and who depends on it."""

    interface: InterfaceView
    definition: str
    """What its file says, or will say."""
    used_by: tuple[str, ...]
    """The components that depend on it, which are built again when it is unlocked."""
    reason: str | None = None
    """Why somebody wants to change it."""


def interface_view(interface: Interface, state: FeatureState | None) -> InterfaceView:
    """Show an interface as a run has it; before there is one, as it is planned."""
    view = InterfaceView(
        name=interface.name, type=interface.kind.value, file=interface_file(interface)
    )
    if state is None or interface.name not in state.interface_names:
        return view
    checks = [it for it in state.lock_checks or () if it.kind is interface.kind]
    return replace(
        view, status=_status(state.book.unlocks.get(interface.name)), validated=validations(checks)
    )


def _status(unlock: Unlock | None) -> InterfaceStatus:
    if unlock is None:
        return InterfaceStatus.LOCKED
    is_open = unlock.stage is UnlockStage.OPEN
    return InterfaceStatus.UNLOCKED if is_open else InterfaceStatus.UNLOCKING


def validations(checks: Sequence[InterfaceCheck]) -> tuple[InterfaceValidation, ...]:
    """Show who looked."""
    return tuple(
        InterfaceValidation(by=it.by or None, verdict=it.verdict, scope=it.scope.value)
        for it in checks
    )


def with_form(view: InterfaceView, form: InterfaceForm) -> InterfaceView:
    """Add what a parser says about the text of an interface."""
    view = replace(view, warnings=form.warnings)
    if view.validated:
        return view
    passed = Verdict.NOT_RUN if not form.by else Verdict.FAILED if form.problem else Verdict.PASSED
    found = InterfaceValidation(by=form.by or None, verdict=passed, scope="interfaces")
    return replace(view, validated=(found,))


def validated_words(validated: Sequence[InterfaceValidation]) -> str:
    """Say in a few words who validated."""
    words = [f"{it.verdict.value} by {it.by}{_scope(it)}" for it in validated if it.by is not None]
    return ", ".join(words) or "not validated"


def _scope(it: InterfaceValidation) -> str:
    return " (whole project)" if it.scope == "project" else ""


Forms = Mapping[str, InterfaceForm]
"""What a parser says about each interface, by its name."""
