"""A change taken apart: what of it judges, what is judged, and what a replay would put back."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from supervisor_ai.control.commands.gates.gate_check import REPLAY, CheckQuestion, find_gate
from supervisor_ai.control.commands.gates.gate_sources import (
    find_base,
    nothing_before,
    work_tree,
)
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.git_flow.own_state import DIRECTORY
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.domain.run.values import Base
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.evidence import Half, HalfOf, Halves
from supervisor_ai.engine.ports.gates import ChangeCase, Unexaminable


class Replayed(StrEnum):
    """What a file is while the base's harness judges the change."""

    HEAD = "head"
    """As the change has it."""
    BASE = "base"
    """As it was at the base."""
    LEFT_OUT = "left_out"
    """Not there: the base does not have it."""
    GRAFTED = "grafted"
    """The change's product with the base's tests and settings."""


class FileHalf(Struct, frozen=True, kw_only=True):
    """A file that a change touches, and what a replay makes of it."""

    path: str
    half: Half
    replay: Replayed
    why: str
    """The convention or the rule of the project that says which half it is."""


class HalvesView(Struct, frozen=True, kw_only=True):
    """The two halves of a change."""

    base: CommitSha
    head: CommitSha
    rules: HarnessRules
    """What the project says about its own files."""
    note: str
    """Where these rules were read from."""
    files: tuple[FileHalf, ...]
    touches_harness: bool
    touches_product: bool
    not_replayed: tuple[str, ...]
    """What of the harness is the change's own nevertheless, and why; one sentence each."""


async def explain(project: OpenProject, question: CheckQuestion) -> HalvesView:
    """Take a change apart as a gate that runs tests would; nothing of the project is run."""
    repository = project.preflight.repository
    head = repository.resolve(question.head)
    base = find_base(repository, question.base, head)
    if base is None:
        raise nothing_before(head)
    source, note = await _source(project, question, base, head)
    _require_tests(project, question.gate, replace(base, sha=source), head)
    rules = _rules(project, source)
    case = ChangeCase(base=base.sha, head=head.sha)
    try:
        halves = await project.world.evidence.halves(case, rules)
    except Unexaminable as error:
        raise Unavailable(str(error)) from error
    return HalvesView(
        base=base.sha,
        head=head.sha,
        rules=rules,
        note=note,
        files=tuple(_files(halves)),
        touches_harness=halves.touches_harness,
        touches_product=halves.touches_product,
        not_replayed=halves.not_replayed,
    )


async def _source(
    project: OpenProject, question: CheckQuestion, base: Base, head: Base
) -> tuple[CommitSha, str]:
    """Name the commit whose rules hold; a run reads them from the base."""
    listed = project.preflight.repository.list
    if question.base is not None or listed(base.sha, DIRECTORY):
        return base.sha, f"{base.sha[:12]}, the base"
    if listed(head.sha, DIRECTORY):
        return head.sha, f"{head.sha[:12]}, because the commit before it has no {DIRECTORY}"
    uncommitted = await work_tree(project, head)
    if uncommitted is None:
        return base.sha, f"{base.sha[:12]}, the base"
    return uncommitted, f"{DIRECTORY} of the work tree, which no commit holds yet"


def _require_tests(project: OpenProject, name: str, base: Base, head: Base) -> None:
    if (
        name == REPLAY
        or find_gate(project.preflight.catalog, name, base=base, head=head).runs_tests
    ):
        return
    raise InvalidInput(
        f"The gate {name!r} runs no tests, so that nothing is replayed for it.",
        hint="`supervisor gate check replay --explain` shows it for every gate that does.",
    )


def _rules(project: OpenProject, source: CommitSha) -> HarnessRules:
    return project.preflight.catalog.load(source, workflow=None, cli=None).definition.harness


def _files(halves: Halves) -> Iterator[FileHalf]:
    for it in halves.files:
        yield FileHalf(path=it.path, half=it.half, replay=_replayed(it, halves), why=it.why)


def _replayed(file: HalfOf, halves: Halves) -> Replayed:
    if file.path not in halves.replay:
        return Replayed.HEAD
    if halves.replay[file.path] is None:
        return Replayed.LEFT_OUT
    return Replayed.GRAFTED if file.half == Half.MIXED else Replayed.BASE
