"""Performing a supervisor's look: what it is told, what it may write, and what is kept of it."""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.knowledge.life import KnowledgeUse
from supervisor_ai.domain.knowledge.provenance import standing
from supervisor_ai.domain.run.effects import ContextItem, RunWorker
from supervisor_ai.domain.run.events import RunEvent
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.domain.terminal import plain
from supervisor_ai.drivers.quality.directives import DirectiveText, NewDirective
from supervisor_ai.drivers.quality.events import AnswerTaken, FindingsTaken
from supervisor_ai.drivers.quality.findings import (
    Findings,
    FoundDirective,
    novelty,
    read_findings,
)
from supervisor_ai.drivers.quality.ports import (
    Files,
    QualityPorts,
    SettledKnowledge,
    StoreFiles,
    WrittenKnowledge,
)
from supervisor_ai.drivers.quality.supervisors import STORE, RunOutcome, SupervisorSpec
from supervisor_ai.engine.effects.refused_writes import report_refused
from supervisor_ai.engine.effects.worker import Work, perform_worker
from supervisor_ai.engine.ports.workers import AnswerProblem
from supervisor_ai.engine.world import Operation

KNOWLEDGE: Final = "KNOWLEDGE STORE"
MODE: Final = "MODE"
_BOOTSTRAP: Final = (
    "BOOTSTRAP. Your folders of the knowledge store are empty: there is nothing to compare with. "
    "Look at the project and write the first documents; want nothing cleaned up yet."
)
_COMPARE: Final = "COMPARE. Hold the recent work against what your documents say."
_SHOWN: Final = 10


class Look(Struct, frozen=True, kw_only=True):
    """What a supervisor looks at."""

    spec: SupervisorSpec
    task: str
    """After which task: `task_12`."""
    sections: tuple[tuple[str, str], ...]
    """Titles and texts, in their order."""
    previous: ArtifactHash | None
    most: int
    """How many characters it is told at most."""
    uses: tuple[KnowledgeUse, ...] = ()
    """Which tasks were told of which documents, the oldest first."""


class LookPens(Struct, frozen=True, kw_only=True):
    """How words of a look are written down."""

    keep: Callable[[str], ArtifactHash]
    redact: Callable[[str], str]


async def perform_look(
    effect: RunWorker, operation: Operation, ports: QualityPorts, look: Look
) -> RunEvent:
    """Let a supervisor look, and keep of its work what is its own and has the right form."""
    before = await standing_files(effect, ports.files)
    is_first = ports.books.is_empty(before, look.spec.owns)
    told = told_look_text(
        look, ports.books.digest(before, most=space_left(look)), is_first=is_first
    )
    items = tuple(
        ContextItem(title=title, artifact=operation.keep(text)[0]) for title, text in told if text
    )

    async def settle(work: Work) -> Snapshot | AnswerProblem:
        found = read_findings(work.answer.document)
        written = await _written(effect, operation, ports, look, work)
        settled = ports.books.settle(
            WrittenKnowledge(
                writer=look.spec.name,
                task=look.task,
                owns=look.spec.owns,
                before=before,
                after={**before, **written},
                items=found.knowledge_items,
            )
        )
        earlier = "" if look.previous is None else operation.text_of(look.previous)
        taken = findings_taken(
            _place(effect),
            found,
            settled,
            _pens(operation),
            earlier=read_findings(earlier),
            is_first=is_first,
        )
        operation.record(taken)
        proved = ports.books.promoted(store_after(before, settled), look.uses, look.task)
        return await operation.world.workspaces.compose(
            effect.start, {**settled.files, **proved.files}, at=operation.intended_at
        )

    return await perform_worker(replace(effect, context=items), operation, settle)


async def standing_files(effect: RunWorker, files: StoreFiles) -> Files:
    """Read the store as people and supervisors wrote it; what other workers left is not there."""
    scope = effect.knowledge
    base = await files.read(scope.commit or effect.base, STORE)
    looks = [
        (await files.read(it.before, STORE), await files.read(it.commit, STORE))
        for it in scope.looks
    ]
    return standing(base, looks)


def _place(effect: RunWorker) -> AnswerTaken:
    return AnswerTaken(
        step=effect.step, visit=effect.visit, slot=effect.slot, attempt=effect.attempt
    )


def _pens(operation: Operation) -> LookPens:
    redact = operation.world.redactor.redact
    return LookPens(
        keep=lambda text: operation.keep(text)[0], redact=lambda text: redact(text).text
    )


def store_after(before: Files, settled: SettledKnowledge) -> Files:
    """Return the store as it will be."""
    files = {**before, **settled.files}
    return {path: text for path, text in files.items() if text is not None}


def space_left(look: Look) -> int:
    """Say how many characters are left for the store, so that the whole fits its budget."""
    return max(0, look.most - sum(len(text) for _, text in look.sections))


def told_look_text(look: Look, digest: str, *, is_first: bool) -> tuple[tuple[str, str], ...]:
    """Return what a supervisor is told, by title and in order."""
    mode = _BOOTSTRAP if is_first else _COMPARE
    return (*look.sections, (KNOWLEDGE, digest), (MODE, mode))


def own_places(spec: SupervisorSpec) -> tuple[str, ...]:
    """Name the beginnings of the paths that a supervisor may write."""
    return tuple(f"{STORE}/{folder}/" for folder in spec.owns)


async def _written(
    effect: RunWorker, operation: Operation, ports: QualityPorts, look: Look, work: Work
) -> Files:
    """Return what the supervisor left in its own folders; what it left elsewhere is recorded."""
    own = own_places(look.spec)
    changed = await operation.world.workspaces.changed_paths(effect.start, work.snapshot.commit)
    others = [path for path in changed if not path.startswith(own)]
    if others:
        report_refused(effect, operation, others)
    left = await ports.files.read(work.snapshot.commit, STORE)
    mine = frozenset(changed).difference(others)
    return {path: text for path, text in left.items() if path in mine}


def findings_taken(
    at: AnswerTaken,
    found: Findings,
    settled: SettledKnowledge,
    pens: LookPens,
    *,
    earlier: Findings,
    is_first: bool,
) -> FindingsTaken:
    """Take up what a supervisor found, as far as it is kept."""
    novel, total = novelty(found, earlier)
    return FindingsTaken(
        step=at.step,
        visit=at.visit,
        slot=at.slot,
        attempt=at.attempt,
        outcome=RunOutcome.BOOTSTRAPPED if is_first else RunOutcome.REVIEWED,
        directives=tuple(_kept(pens, it) for it in found.directives),
        updated=tuple(pens.redact(plain(path)) for path in settled.updated),
        refused=tuple(pens.redact(plain(path)) for path, _ in settled.refused[:_SHOWN]),
        reviews=settled.reviews,
        novel=novel,
        total=total,
    )


def _kept(pens: LookPens, it: FoundDirective) -> NewDirective:
    words = DirectiveText(description=it.description, rationale=it.rationale, files=it.files)
    text = pens.keep(msgspec.json.encode(words).decode())
    return NewDirective(type=it.type, priority=it.priority, text=text)
