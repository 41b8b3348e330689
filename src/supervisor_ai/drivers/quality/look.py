"""Performing a supervisor's look: what it is told, what it may write, and what is kept of it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
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
from supervisor_ai.tools.text import counted

KNOWLEDGE: Final = "KNOWLEDGE STORE"
MODE: Final = "MODE"
_BOOTSTRAP: Final = (
    "BOOTSTRAP. Your folders of the knowledge store are empty: there is nothing to compare with. "
    "Look at the project and write the first documents; want nothing cleaned up yet."
)
_COMPARE: Final = "COMPARE. Hold the recent work against what your documents say."
_CHANGED_CODE: Final = "CHANGED CODE"
_NOT_OWN: Final = "it is no document in a folder of its own"
_SHOWN: Final = 10
_CUT: Final = "\n[what follows was left out]"


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
    change: str = ""
    """What has changed since it looked last, as a diff."""
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
        look, ports.books.digest(before, most=for_digest(look)), is_first=is_first
    )
    items = tuple(
        ContextItem(title=title, artifact=operation.keep(text)[0]) for title, text in told if text
    )

    async def settle(work: Work) -> Snapshot | AnswerProblem:
        found = read_findings(work.answer.document)
        given, others = own_documents(look.spec, found.files)
        # What lies in the files is what was written.
        written = {**given, **await _written(effect, operation, ports, look, work)}
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
        settled = replace(settled, refused=(*settled.refused, *others))
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


def _space_left(look: Look) -> int:
    return max(0, look.most - sum(len(text) for _, text in look.sections))


def for_digest(look: Look) -> int:
    """Say how many characters are left for the store; where code has changed, half of them."""
    return _space_left(look) // (2 if look.change else 1)


def told_look_text(look: Look, digest: str, *, is_first: bool) -> tuple[tuple[str, str], ...]:
    """Return what a supervisor is told, by title and in order; the whole fits its budget."""
    mode, change = _BOOTSTRAP if is_first else _COMPARE, look.change
    room = _space_left(look) - len(digest)
    if len(change) > room:
        change = change[: max(0, room - len(_CUT))] + _CUT
    return (*look.sections, (_CHANGED_CODE, change), (KNOWLEDGE, digest), (MODE, mode))


def own_documents(
    spec: SupervisorSpec, files: Mapping[str, str]
) -> tuple[dict[str, bytes], tuple[tuple[str, str], ...]]:
    """Take of the documents of an answer what may be written, and say why the rest may not."""
    own = {it: text.encode() for it, text in files.items() if _is_own(spec, it)}
    return own, tuple((path, _NOT_OWN) for path in files if path not in own)


def _is_own(spec: SupervisorSpec, path: str) -> bool:
    is_plain = ".." not in PurePosixPath(path).parts and path.endswith(".md")
    return is_plain and path.startswith(own_places(spec))


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
    """Take up what a supervisor found, as far as it is kept; what it claims is not believed."""
    true = tuple(it for it in found.claimed if _name(it) in set(map(_name, settled.updated)))
    kept = replace(found, conventions_updated=true, design_updates=())
    novel, total = novelty(kept, earlier)
    is_bootstrap = is_first and bool(settled.updated)
    wanted = () if is_bootstrap else found.directives
    left_out = "; ".join(_left_out(found, settled, dropped=len(found.directives) - len(wanted)))
    return FindingsTaken(
        step=at.step,
        visit=at.visit,
        slot=at.slot,
        attempt=at.attempt,
        outcome=RunOutcome.BOOTSTRAPPED if is_bootstrap else RunOutcome.REVIEWED,
        directives=tuple(_kept(pens, it) for it in wanted),
        updated=tuple(pens.redact(plain(path)) for path in settled.updated),
        refused=tuple(pens.redact(plain(path)) for path, _ in settled.refused[:_SHOWN]),
        reviews=settled.reviews,
        novel=novel,
        total=total,
        left_out=pens.redact(plain(left_out)),
    )


def _left_out(found: Findings, settled: SettledKnowledge, *, dropped: int) -> Iterator[str]:
    """Say what of a look is not kept, and why."""
    yield from (f"{path}: {reason}" for path, reason in settled.refused[:_SHOWN])
    written = {*settled.updated, *(path for path, _ in settled.refused)}
    there = set(map(_name, written))
    for path in [it for it in found.claimed if _name(it) not in there][:_SHOWN]:
        yield f"{path} is said to be updated, and is not"
    if dropped:
        yield f"{counted(dropped, 'directive')} dropped: this look lays the ground"


def _name(path: str) -> str:
    return PurePosixPath(path).stem


def _kept(pens: LookPens, it: FoundDirective) -> NewDirective:
    words = DirectiveText(description=it.description, rationale=it.rationale, files=it.files)
    text = pens.keep(msgspec.json.encode(words).decode())
    return NewDirective(type=it.type, priority=it.priority, text=text)
