"""The `options` of a checkpoint in the file of a workflow."""

from typing import Final

from supervisor_ai.definitions.checkpoint.checks import read_check
from supervisor_ai.definitions.checkpoint.role_specs import builtin_role_spec
from supervisor_ai.definitions.checkpoint.shapes import SUPERVISION
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.sources.findings import found
from supervisor_ai.definitions.sources.mistakes import unknown
from supervisor_ai.definitions.templates.step_notes import StepNotes
from supervisor_ai.drivers.checkpoint.checks.model import CheckSpec
from supervisor_ai.drivers.checkpoint.decisions.workflow_step import CheckpointStep, encode
from supervisor_ai.drivers.checkpoint.protocol.words import is_checkpoint, is_word
from supervisor_ai.tools.yaml_tree import Value

_KEY: Final = "options"
_KNOWN: Final = ("checkpoint", "checks", "scope", "enabled")
_MOST: Final = 100
_USUAL: Final = "CHECKPOINT-001"
_OFF: Final = "Supervision is switched off in the {where}."


def read_options(notes: StepNotes, settings: EffectiveSettings) -> str:
    """Read which checks a step makes about which steps; notes what is wrong."""
    options: dict[str, Value] = notes.draft.shape.options or {}
    for key in options:
        if key not in _KNOWN:
            notes.add(_KEY, unknown("option", key, _KNOWN))
    supervision = settings.section(SUPERVISION)
    name = _checkpoint(notes, options.get("checkpoint"))
    step = CheckpointStep(
        checkpoint=name or _USUAL,
        checks=_checks(notes, name, options.get("checks")),
        scope=_scope(notes, options.get("scope")),
        off=_off(notes, options.get("enabled"), is_on=supervision.enabled),
        judge=supervision.judge,
    )
    return encode(step)


def _checkpoint(notes: StepNotes, given: Value) -> str | None:
    if given is None or (isinstance(given, str) and is_checkpoint(given)):
        return given
    notes.add(_KEY, f"`checkpoint` must be CHECKPOINT-001 to -999, found {found(given)}")
    return None


def _checks(notes: StepNotes, name: str | None, given: Value) -> tuple[CheckSpec, ...]:
    """Take the checks that are listed; without a list, those of the built-in checkpoint."""
    if given is None:
        spec = builtin_role_spec()
        usual = None if name is None else spec.checks_of(name)
        if usual is None:
            known = ", ".join(spec.checkpoints)
            notes.add(_KEY, f"needs `checks`, or as `checkpoint` one of {known}")
        return usual or ()
    if not isinstance(given, list) or not 0 < len(given) <= _MOST:
        notes.add(_KEY, f"`checks` must be a list of 1 to {_MOST} checks, found {found(given)}")
        return ()
    place = notes.draft.place(_KEY)
    read = [read_check(it, place, notes.mistakes) for it in given]
    checks = [it for it in read if it is not None]
    for at, check in enumerate(checks):
        if check.id in {it.id for it in checks[:at]}:
            notes.add(_KEY, f"the check {check.id!r} is there twice; give one another `id`")
    return tuple(checks)


def _scope(notes: StepNotes, given: Value) -> tuple[str, ...]:
    if given is None:
        return ()
    names = given if isinstance(given, list) else []
    words = tuple(it for it in names if isinstance(it, str) and is_word(it))
    if not names or len(words) != len(names) or len(names) > _MOST:
        notes.add(_KEY, f"`scope` must be a list of steps, found {found(given)}")
    return words


def _off(notes: StepNotes, given: Value, *, is_on: bool) -> str:
    if given not in {None, True, False}:
        notes.add(_KEY, f"`enabled` must be true or false, found {found(given)}")
    if not is_on:
        return _OFF.format(where="config")
    return _OFF.format(where="workflow") if given is False else ""
