"""Unlocking an interface that components have agreed on, and locking it again."""

from typing import Final

from msgspec import Struct

from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.wishes import send_wish, unfinished
from supervisor_ai.drivers.feature.interfaces.book import LOCK, UNLOCK, UnlockStage
from supervisor_ai.drivers.feature.plan.interfaces import interface_file, users_of
from supervisor_ai.drivers.feature.plan.model import Feature, Interface
from supervisor_ai.drivers.feature.ports import PlanReader
from supervisor_ai.drivers.feature.runs import FeatureRun, state_of
from supervisor_ai.drivers.feature.state import FeatureState
from supervisor_ai.tools.text import nearest

_LONGEST: Final = 2_000
_LARGEST: Final = 100_000


class InterfaceWord(Struct, frozen=True, kw_only=True):
    """What a run was told about an interface, and how that stands."""

    run: FeatureRun
    stage: UnlockStage
    is_new: bool = True


def find_interface(feature: Feature, name: str) -> Interface:
    """Find an interface of a plan by its name."""
    found = next((it for it in feature.interfaces if it.name == name), None)
    if found is None:
        near = nearest(name, [it.name for it in feature.interfaces])
        raise NotFound(
            f"The feature {feature.id!r} has no interface {name!r}.",
            hint=f"Did you mean {near!r}?" if near else None,
        )
    return found


def ask_to_unlock(project: OpenProject, feature: str, name: str, reason: str) -> InterfaceWord:
    """Ask for an interface to be unlocked; what was asked before is not asked again."""
    run = unfinished(project, feature)
    state = state_of(project.records, run)
    interface = find_interface(run.definition.feature, name)
    if name not in state.interface_names:
        raise Conflict(
            f"The interface {name!r} is not locked yet.",
            hint=f"Change it in .supervisor/features/{feature}.yaml, after: "
            f"supervisor feature cancel {feature}",
        )
    known = state.book.unlocks.get(name)
    if known is not None:
        return InterfaceWord(run=run, stage=known.stage, is_new=False)
    why = _keep(project, _question(run.definition.feature, interface, _checked(reason)))
    send_wish(project, run.row.id, f"{UNLOCK} {name} {why}")
    return InterfaceWord(run=run, stage=UnlockStage.WANTED)


def _checked(reason: str) -> str:
    text = reason.strip()
    if not text or len(text) > _LONGEST:
        raise InvalidInput(f"A reason has 1 to {_LONGEST} characters; this has {len(text)}.")
    return text


def _question(feature: Feature, interface: Interface, reason: str) -> str:
    """Write what people are asked, and what those read who build again."""
    names = feature.short_names()
    users = [names[it] for it in users_of(feature, interface.name)]
    built = "\n".join(f"- {it}" for it in users) or "- nobody"
    return (
        f"The interface {interface.name} ({interface.kind.value}) in {interface_file(interface)} is"
        f" unlocked, so that it can change.\n\nReason: {reason}\n\nWhat depends on it, and has to"
        f" keep to the file as it is then:\n{built}\n"
    )


def _keep(project: OpenProject, text: str) -> ArtifactHash:
    redacted = project.world.redactor.redact(text)
    return project.world.artifacts.put(redacted.text)


def ask_to_lock(
    project: OpenProject, reader: PlanReader, feature: str, name: str, definition: str | None
) -> InterfaceWord:
    """Lock an open interface again, with another definition where one is given."""
    run = unfinished(project, feature)
    state = state_of(project.records, run)
    interface = find_interface(run.definition.feature, name)
    unlock = state.book.unlocks.get(name)
    if unlock is None:
        raise Conflict(
            f"The interface {name!r} is not unlocked.",
            hint=f"First: supervisor interface unlock {feature} {name} --reason WHY",
        )
    if unlock.stage is not UnlockStage.OPEN:
        raise Conflict(
            f"The interface {name!r} is not unlocked yet: a person has to agree.",
            hint=f"Agree: supervisor approve {run.row.id}",
        )
    now = current_definition(project, state, interface)
    if definition is None or definition.strip() == now.strip():
        send_wish(project, run.row.id, f"{LOCK} {name}")
        return InterfaceWord(run=run, stage=unlock.stage, is_new=False)
    _refuse_flaws(project, reader, replace(interface, definition=definition))
    send_wish(project, run.row.id, f"{LOCK} {name} {project.world.artifacts.put(definition)}")
    return InterfaceWord(run=run, stage=unlock.stage)


def _refuse_flaws(project: OpenProject, reader: PlanReader, interface: Interface) -> None:
    if len(interface.definition) > _LARGEST:
        raise InvalidInput(f"A definition has at most {_LARGEST} characters.")
    form = reader.forms((interface,))[0]
    if form.problem is not None:
        raise InvalidInput(f"The interface {interface.name!r} {form.problem}.")
    if project.world.redactor.redact(interface.definition).count:
        raise InvalidInput(
            f"The definition of {interface.name!r} has what looks like a secret.",
            hint="Take it out: the file is committed.",
        )


def current_definition(project: OpenProject, state: FeatureState, interface: Interface) -> str:
    """Return the definition that holds: the plan's, or the one that it was locked with last."""
    changed = state.book.redefined.get(interface.name)
    return interface.definition if changed is None else project.world.artifacts.get(changed)
