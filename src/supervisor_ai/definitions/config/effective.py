"""The effective configuration: every value that holds, and the file and line that say so."""

from collections.abc import Iterator
from datetime import timedelta
from enum import Enum
from typing import Final

from supervisor_ai.control.ports.definitions import ConfigValue
from supervisor_ai.definitions.config.merged import MergedConfig, Sections, merge_configs
from supervisor_ai.definitions.config.settings import read_settings
from supervisor_ai.definitions.overlay.tree import pieces, plain
from supervisor_ai.definitions.schema.base import FileShape
from supervisor_ai.definitions.schema.config import LimitsShape
from supervisor_ai.definitions.schema.git import GitShape
from supervisor_ai.definitions.schema.retries import (
    BreakerShape,
    LoopShape,
    ParkingShape,
    RetryPolicyShape,
)
from supervisor_ai.definitions.schema.sandboxes import ResourceShape, SandboxShape, WorkspaceShape
from supervisor_ai.definitions.sources.files import Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath, key_text
from supervisor_ai.definitions.sources.yaml_document import Value

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def effective_values(config: MergedConfig, sections: Sections) -> Iterator[ConfigValue]:
    """List what the files say with where, and beside it what holds because nobody says so."""
    said = dict(pieces(config.root, config.table))
    usual = {
        path: value
        for path, value in _usual(sections)
        if not any(path[: len(at)] == at or at[: len(path)] == path for at in said)
    }
    order = {key: number for number, key in enumerate(type(config.shape).model_fields)}
    for path in sorted((*said, *usual), key=lambda it: (order.get(str(it[0]), 0), str(it[1:2]))):
        if path in said:
            at = said[path].at
            yield ConfigValue(
                key=key_text(path),
                path=path,
                value=plain(said[path]),
                origin=at.origin.value,
                file=at.place().file,
                line=at.place().line,
            )
        else:
            origin = Origin.BUILT_IN.value
            yield ConfigValue(key=key_text(path), path=path, value=usual[path], origin=origin)


def _usual(sections: Sections) -> Iterator[tuple[KeyPath, Value]]:
    """List what holds where no file says anything, by the keys that would say so."""
    mistakes = FileMistakes()
    settings = read_settings(merge_configs([], sections, mistakes), sections, mistakes)
    policies = settings.policies
    yield from _described(("limits",), settings.limits, LimitsShape)
    yield ("limits", "default_token_budget"), settings.tokens.usual
    for name, policy in policies.retries.items():
        yield from _described(("retry_policies", name), policy, RetryPolicyShape)
    yield ("parking", "enabled"), policies.parking.is_allowed
    yield from _described(("parking",), policies.parking, ParkingShape)
    yield from _described(("breaker",), policies.breaker, BreakerShape)
    yield from _described(("loops",), policies.loops, LoopShape)
    yield ("baseline",), policies.baseline.value
    yield from _described(("sandbox",), settings.sandbox, SandboxShape)
    for profile, limits in (
        ("worker", settings.sandbox.worker),
        ("executor", settings.sandbox.executor),
    ):
        yield from _described(("sandbox", "limits", profile), limits, ResourceShape)
    yield from _described(("workspace",), settings.workspace, WorkspaceShape)
    yield from _described(("git",), settings.git, GitShape)
    for section in sections:
        value = settings.section(section)
        yield from _described((section.key,), value, section.shape)


def _described(
    path: KeyPath, value: object, shape: type[FileShape]
) -> Iterator[tuple[KeyPath, Value]]:
    """List the fields of a value that have a key of the same name."""
    for key in shape.model_fields:
        found = getattr(value, key, None)
        if found is not None and found != ():
            yield (*path, key), _text(found)


def _text(value: object) -> Value:
    """Write a value as a config file would."""
    if isinstance(value, timedelta):
        return _duration(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return [_text(it) for it in value]
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _duration(value: timedelta) -> str:
    left, words = int(value.total_seconds()), ""
    for unit, seconds in _UNITS:
        count, left = divmod(left, seconds)
        words += f"{count}{unit}" if count else ""
    return words or "0s"
