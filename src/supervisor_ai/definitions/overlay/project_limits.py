"""What a project's files may not widen: one table of paths, and what is done about each.

A project says nothing about what is the user's (`refused`), makes some limits only smaller
(`least`), and asks the user to trust it for the rest (`asked`).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.definitions.overlay.tree import ANY, ValueNode, fits, plain
from supervisor_ai.definitions.schema.cli_flags import passed_on
from supervisor_ai.definitions.schema.scalars import dear, reference
from supervisor_ai.definitions.schema.spending.budgets import least_budget
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath
from supervisor_ai.definitions.sources.yaml_document import Value
from supervisor_ai.domain.structs import replace


class ProjectLimit(Struct, frozen=True, kw_only=True):
    """How far a project has a say at a path."""

    refused: Callable[[object], str | None] | None = None
    """Says why it has none."""
    least: Callable[[Value, Value], Value] | None = None
    """Returns the smaller of the user's word and the project's."""
    asked: Callable[[object], object] | None = None
    """Returns what the user is asked to trust; nothing where that is None or empty."""


def _said(value: object) -> object:
    return value


def _never(problem: str) -> ProjectLimit:
    return ProjectLimit(refused=lambda _: problem)


def _reference(value: object) -> str | None:
    named = reference(value) if isinstance(value, str) else None
    return named and f"{named} names a variable of your machine; only your own config may do that"


def _dear_agents(value: object) -> object:
    """Leave of agents those that name their model: some cost many times as much as others."""
    if isinstance(value, list):
        return [agent for agent in value if dear(agent)]
    return dear(value) if isinstance(value, str) else None


def _adapter(value: object) -> object:
    """Leave out adapters that are given nothing of the user's."""
    return None if value in {"command", "scripted"} else value


def _off(value: object) -> object:
    return "false" if value is False else None


def _warning(value: object) -> object:
    return "warn" if value == "warn" else None


def _lenient(value: object) -> object:
    """Return what is asked of a base where that is less than to ask a person."""
    return value if value in {"note", "off"} else None


def _stop_stays(mine: Value, other: Value) -> Value:
    return mine if mine == "stop" else other


def _flags(value: object) -> object:
    return list(passed_on(value)) if isinstance(value, list) else None


def _other_repository(value: object) -> object:
    """Leave of the places of projects those that are not in the repository."""
    path = value if isinstance(value, str) else ""
    return value if path.startswith(("/", "~")) or ".." in path.split("/") else None


def foreign_packer(value: object) -> object:
    """Return a packer that is a program of its own."""
    return None if value == "native" else value


def _smaller(mine: Value, other: Value) -> Value:
    return min(mine, other) if isinstance(mine, int) and isinstance(other, int) else other


def _larger(mine: Value, other: Value) -> Value:
    return max(mine, other) if isinstance(mine, int) and isinstance(other, int) else other


_ASKED: Final = ProjectLimit(asked=_said)
_DEAR: Final = ProjectLimit(asked=_dear_agents)
_SERVICE: Final = _never("names a service or a key of yours; only your own config may do that")
_BROKER: Final = _never("names a service and a key of yours; only your own config may do that")
_PRICES: Final = _never(
    "says what tokens cost, and so how far your budgets reach; only your own config may do that"
)
_PEOPLE: Final = _never(
    "says who may approve; that belongs into the config.yaml of your own directory, never into a"
    " project's"
)
_NOTIFICATIONS: Final = _never(
    "says who hears of your runs, and by which programs and addresses; only your own config may"
    " do that"
)
_SIGNATURES: Final = _never(
    "says whether your commits are signed; only your own config may do that"
)
_SNAPSHOTS: Final = _never("says what is removed from your git; only your own config may do that")
SERVICE_KEYS: Final = ("provider", "base_url", "key", "api_key", "plain_http")
"""What only the user says about a model."""
_GATE: Final[Mapping[KeyPath, ProjectLimit]] = {
    ("gates", ANY, "command"): _ASKED,
    ("gates", ANY, "env", ANY): _ASKED,
    # What a gate forgives is the user's word, and so is a count in place of the base's own.
    ("gates", ANY, "known_red"): _ASKED,
    ("gates", ANY, "min_tests"): _ASKED,
    ("gates", ANY, "enabled"): ProjectLimit(asked=_off),
    ("gates", ANY, "policy"): ProjectLimit(asked=_warning),
    ("gates", ANY, "on_fail"): ProjectLimit(asked=_warning),
}
CONFIG_LIMITS: Final[Mapping[KeyPath, ProjectLimit]] = {
    ("cli",): _DEAR,
    ("fallback",): _DEAR,
    # An agent takes the place of the user's own, with the way to its model.
    ("clis", ANY, "adapter"): ProjectLimit(asked=_adapter),
    ("clis", ANY, "command"): _ASKED,
    ("clis", ANY, "script"): _ASKED,
    ("clis", ANY, "egress"): _ASKED,
    ("clis", ANY, "env", ANY): ProjectLimit(refused=_reference, asked=_said),
    ("clis", ANY, "broker"): _BROKER,
    ("trackers", ANY, "command"): _ASKED,
    ("roles", ANY, "cli"): _DEAR,
    ("roles", ANY, "fallback"): _DEAR,
    ("roles", ANY, "egress"): _ASKED,
    ("roles", ANY, "allowed_tools"): _ASKED,
    ("roles", ANY, "may_change"): _ASKED,
    ("roles", ANY, "mcp_servers", ANY): _ASKED,
    **{("models", ANY, key): _ASKED for key in ("model", "max_tokens", "fallback")},
    **{("models", ANY, key): _SERVICE for key in SERVICE_KEYS},
    **_GATE,
    # What is compared before green counts, and by which files.
    ("baseline",): ProjectLimit(least=_stop_stays, asked=_lenient),
    ("harness", ANY): _ASKED,
    # What is spent, and what holds for the retry policy `default`.
    ("limits", "attempt_tokens"): _ASKED,
    ("limits", "retry_base_delay"): _ASKED,
    ("limits", "retry_max_delay"): _ASKED,
    ("limits", "retry_exponential_base"): _ASKED,
    ("limits", "max_token_budget"): ProjectLimit(least=_smaller),
    **{(key, ANY): _ASKED for key in ("retry_policies", "parking", "breaker")},
    **{(key, ANY): _ASKED for key in ("sandbox", "workspace")},
    ("budgets", ANY): ProjectLimit(least=least_budget),
    ("prices",): _PRICES,
    ("people",): _PEOPLE,
    ("allowed_signers",): _PEOPLE,
    ("notifications",): _NOTIFICATIONS,
    # What is built there is read from another repository, and lands in it.
    ("projects", ANY, "path"): ProjectLimit(asked=_other_repository),
    # A project may wait for a person or show more than the user asks for, not less.
    ("git", "auto_commit"): ProjectLimit(least=_smaller),
    ("git", "dry_run_preview"): ProjectLimit(least=_larger),
    ("git", "sign_commits"): _SIGNATURES,
    ("git", "keep_snapshots"): _SNAPSHOTS,
}
"""What holds for the config files of a project."""
WORKFLOW_LIMITS: Final = _GATE
"""What holds for its workflow files, besides the commands of steps."""
ROLE_LIMITS: Final[Mapping[KeyPath, ProjectLimit]] = {
    ("cli",): _DEAR,
    ("fallback",): _DEAR,
    ("egress",): _ASKED,
    ("allowed_tools",): _ASKED,
    ("flags",): ProjectLimit(asked=_flags),
    ("mcp_servers", ANY): _ASKED,
    **_GATE,
    ("may_change",): _ASKED,
    ("context", "packer"): ProjectLimit(asked=foreign_packer),
}
"""What holds for its role files."""


def admitted(
    below: ValueNode | None, project: ValueNode, mistakes: FileMistakes, path: KeyPath = ()
) -> ValueNode:
    """Leave of a project's config what it has a say in, and note what it must not say."""
    kept: dict[str, ValueNode] = {}
    for key, node in project.entries.items():
        at, base = (*path, key), None if below is None else below.child(key)
        limit = next((it for row, it in CONFIG_LIMITS.items() if fits(row, at)), None)
        problem = limit.refused(plain(node)) if limit is not None and limit.refused else None
        if problem is not None and node.value is not None:
            mistakes.add(node.at.place(), problem)
        elif limit is not None and limit.least is not None:
            least = _least(base, node, limit.least)
            kept |= {} if least is None else {key: least}
        elif problem is None:
            inner = admitted(base, node, mistakes, at) if node.entries else node
            kept |= {key: inner} if inner.entries or not node.entries else {}
    return replace(project, value=kept)


def _least(
    below: ValueNode | None, project: ValueNode, least: Callable[[Value, Value], Value]
) -> ValueNode | None:
    """Return the smaller of two limits; None where that is the one below."""
    if project.value is None or below is None:
        return None if project.value is None else project
    mine, other = plain(below), plain(project)
    found = least(mine, other)
    if found in (mine, other):
        return None if found == mine else project
    words = found if isinstance(found, list) else [found]
    return replace(project, value=tuple(ValueNode(value=str(it), at=project.at) for it in words))


def asked_for(
    said: object, limits: Mapping[KeyPath, ProjectLimit]
) -> Iterator[tuple[KeyPath, object]]:
    """List what a file says at paths for which a project asks the user's trust."""
    for row, limit in limits.items():
        if limit.asked is None:
            continue
        for path, value in _matches(said, row):
            asked = limit.asked(value)
            if asked not in (None, [], {}):
                yield path, asked


def taken_back(
    written: Value, limits: Mapping[KeyPath, ProjectLimit], path: KeyPath = ()
) -> Iterator[KeyPath]:
    """List the paths of such values, or of what holds them, that a file sets to null."""
    rows = [row for row, limit in limits.items() if limit.asked is not None]
    for key, value in written.items() if isinstance(written, dict) else ():
        at = (*path, key)
        if value is None and any(fits(row[: len(at)], at) for row in rows):
            yield at
        yield from taken_back(value, limits, at)


def _matches(value: object, row: KeyPath, path: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    if not row:
        yield path, value
        return
    known: Mapping[str | int, object] = {}
    if isinstance(value, Mapping):
        known = value
    elif isinstance(value, list):
        known = dict(enumerate(value))
    for key, inner in known.items():
        if row[0] in {ANY, key}:
            yield from _matches(inner, row[1:], (*path, key))
