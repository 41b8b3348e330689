"""One file's word on a step laid over the words of those that it extends."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from supervisor_ai.definitions.overlay.layers import WrittenFile
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.workflows import (
    HooksShape,
    SettingsShape,
    StepShape,
    WorkflowShape,
)
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.templates.arrows import drop_disabled, link_positions, ordered
from supervisor_ai.definitions.templates.draft import DraftStep, StepSource, WorkflowDraft

_CREW: Final = frozenset({"role", "roles", "approvers"})
_CHECK: Final = frozenset({"gate", "gates", "command"})
_OF_SEVERAL: Final = frozenset({"parallel", "aggregate"})
_DOING: Final = _CREW | _CHECK | _OF_SEVERAL | {"config"}
_ROLES_INSTEAD: Final = _CREW | _CHECK | {"type", "gate_type"}
_REPLACES: Final[Mapping[str, frozenset[str]]] = {
    "role": (_ROLES_INSTEAD | _OF_SEVERAL) - {"role"},
    "roles": _ROLES_INSTEAD - {"roles"},
    "approvers": (_ROLES_INSTEAD | _OF_SEVERAL) - {"approvers"},
    "command": (_CREW | _CHECK) - {"command"},
    "gate": _CHECK - {"gate"},
    "gates": _CHECK - {"gates"},
    "next": frozenset({"terminal"}),
    "terminal": frozenset({"next"}),
}
"""What is no longer meant where a child says something else that excludes it."""
_OTHER_KINDS: Final = frozenset({"human_gate", "commit", "pull_request"})

S = TypeVar("S", bound=FileShape)


def merge(
    name: str, files: Sequence[WrittenFile[WorkflowShape]], mistakes: FileMistakes
) -> WorkflowDraft:
    """Lay the files over each other, the last one on top."""
    first, last = files[0], files[-1]
    draft = WorkflowDraft(
        name=name,
        description="",
        initial_step="",
        steps={},
        written=last,
        settings=SettingsShape(),
        settings_from={},
        hooks=HooksShape(),
        hooks_from=None,
        files=tuple(written.document.file for written in files),
        known=(),
        is_inherited=first is not last,
    )
    for written in files:
        draft = _laid_over(draft, written, mistakes)
    return ordered(draft) if draft.is_inherited else draft


def _laid_over(
    below: WorkflowDraft, written: WrittenFile[WorkflowShape], mistakes: FileMistakes
) -> WorkflowDraft:
    shape, steps = written.shape, dict(below.steps)
    parts: Mapping[str, Mapping[str, StepShape]] = {
        "steps": shape.steps,
        "overrides": shape.overrides,
    }
    for part, said in parts.items():
        for name, step in said.items():
            source = StepSource(written=written, path=(part, name))
            steps[name] = _step(steps.get(name), name, step, source)
    draft = WorkflowDraft(
        name=below.name,
        description=shape.description or below.description,
        initial_step=shape.initial_step or below.initial_step or next(iter(steps), ""),
        steps=steps,
        written=below.written,
        settings=_over(below.settings, shape.settings),
        settings_from=_settings_from(below, written),
        hooks=_over(below.hooks, shape.hooks),
        hooks_from=_hooks_from(below, written),
        files=below.files,
        known=tuple(dict.fromkeys((*below.known, *_names(written)))),
        dropped=(below.dropped - set(steps)) | set(shape.disable),
        is_inherited=below.is_inherited,
    )
    placed = [name for said in parts.values() for name, it in said.items() if it.position]
    draft = link_positions(draft, placed, steps.keys() - below.steps.keys(), mistakes)
    disabled = ((it, written.place("disable", at)) for at, it in enumerate(shape.disable))
    return drop_disabled(draft, disabled, mistakes)


def _step(below: DraftStep | None, name: str, shape: StepShape, source: StepSource) -> DraftStep:
    said = dict.fromkeys(shape.model_fields_set, source)
    if below is None:
        return DraftStep(name=name, shape=shape, home=source, said=said)
    gone = _gone(shape)
    kept = {
        key: getattr(below.shape, key)
        for key in below.shape.model_fields_set
        if key not in shape.model_fields_set and key not in gone
    }
    mine = {key: getattr(shape, key) for key in shape.model_fields_set}
    if below.shape.config is not None and shape.config is not None:
        mine["config"] = _over(below.shape.config, shape.config)
    return DraftStep(
        name=name,
        shape=StepShape.model_construct(_fields_set={*kept, *mine}, **{**kept, **mine}),
        home=below.home,
        said={**{key: below.source(key) for key in kept}, **said},
    )


def _gone(shape: StepShape) -> frozenset[str]:
    said = shape.model_fields_set
    gone = frozenset(key for name in said for key in _REPLACES.get(name, ()))
    return gone | _DOING if shape.type in _OTHER_KINDS else gone


def _over(below: S, above: S) -> S:
    return below.model_copy(update={key: getattr(above, key) for key in above.model_fields_set})


def _settings_from(
    below: WorkflowDraft, written: WrittenFile[WorkflowShape]
) -> dict[str, StepSource]:
    source = StepSource(written=written, path=("settings",))
    said = written.shape.settings.model_fields_set
    return {**below.settings_from, **dict.fromkeys(said, source)}


def _hooks_from(below: WorkflowDraft, written: WrittenFile[WorkflowShape]) -> StepSource | None:
    if not written.shape.hooks.model_fields_set:
        return below.hooks_from
    return StepSource(written=written, path=("hooks",))


def _names(written: WrittenFile[WorkflowShape]) -> list[str]:
    parts = {(*written.path, part) for part in ("steps", "overrides")}
    return [str(keys[-1]) for keys in written.document.lines if keys[:-1] in parts]
