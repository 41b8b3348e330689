"""What must be true of every simulated run on a kanban."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from tests.simulation.editors import BROKEN
from tests.simulation.invariants import Evidence, commits_of, is_late
from tests.simulation.kanbans import FOLDER, FORBIDDEN, MAX_ITERATIONS, mark_of, read

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import RunId, run_stream
from supervisor_ai.domain.run import events as e
from supervisor_ai.drivers.kanban import events as k
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.driver import KanbanDriver

_MARK: Final = re.compile(r"^### \[[^]]*\] (Turn .*)$", re.MULTILINE)
Files = Mapping[str, str]


def broken_kanban_rules(evidence: Evidence) -> list[str]:
    """Return a sentence for every rule that does not hold."""
    broken: list[str] = []
    for run in evidence.runs:
        envelopes = evidence.stream(run_stream(run))
        birth = envelopes[0].event
        if isinstance(birth, e.RunSubmitted) and birth.driver == KanbanDriver.name:
            place = _place(evidence, birth)
            broken += _bad_landings(birth, envelopes, evidence)
            broken += _unreadable_commits(birth, evidence)
            broken += _bad_questions(run, envelopes)
            broken += _bad_prompts(run, envelopes)
            broken += _bad_rounds(run, envelopes)
            broken += _bad_end(run, envelopes)
            broken += _bad_logs(birth, place, envelopes, evidence)
            broken += _unreported_writes(run, envelopes, evidence)
            broken += _bad_branch(birth, place, evidence)
    return broken


def _place(evidence: Evidence, birth: e.RunSubmitted) -> KanbanPlace:
    return evidence.world.documents.load(birth.definition, KanbanDefinition).kanban.place


def _bad_landings(
    birth: e.RunSubmitted, envelopes: list[Envelope], evidence: Evidence
) -> Iterator[str]:
    """What the ledger says has landed is on the branch, once, and nothing else of the run is."""
    workspaces = evidence.workspaces
    told = [at.event.commit for at in envelopes if isinstance(at.event, e.IntegrationLanded)]
    found = [at for at in commits_of(birth, workspaces) if workspaces.commits[at].key is not None]
    late = [commit for commit in found if is_late(birth, envelopes, evidence, commit)]
    if sorted(told) != sorted(commit for commit in found if commit not in late):
        yield f"The ledger says that {told} landed on {birth.branch!r}, which has {found}."
    keys = Counter(workspaces.commits[commit].key for commit in found)
    if any(times > 1 for times in keys.values()):
        yield f"Branch {birth.branch!r} has an operation twice: {keys}."


def _unreadable_commits(birth: e.RunSubmitted, evidence: Evidence) -> Iterator[str]:
    """What the run lands can be read, unless a person has broken it."""
    workspaces = evidence.workspaces
    for commit in commits_of(birth, workspaces):
        files = workspaces.files(commit)
        is_own = workspaces.commits[commit].key is not None
        has_kanban = any(path.startswith(FOLDER) for path in files)
        if is_own and has_kanban and not _is_broken(files) and read(files) is None:
            yield f"{commit!r} landed on {birth.branch!r}, and its kanban cannot be read."


def _is_broken(files: Files) -> bool:
    return any(BROKEN in text for path, text in files.items() if path.startswith(FOLDER))


def _bad_questions(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    """Files that cannot be read are read again only after a person has said so."""
    is_open = False
    for envelope in envelopes:
        match envelope.event:
            case k.KanbanUnreadable():
                is_open = True
            case e.ApprovalGiven():
                is_open = False
            case k.KanbanReadStarted() | e.AttemptStarted() if is_open:
                yield f"Run {run!r} went on with files that cannot be read."
            case _:
                pass


def _bad_prompts(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    """An agent is told exactly the same again, unless a person has spoken."""
    answers = 0
    told: dict[tuple[type[e.PlacedEvent], str, int, int], str] = {}
    for envelope in envelopes:
        match envelope.event:
            case e.ApprovalGiven() | e.ApprovalRefused():
                answers += 1
            case e.PromptSent(prompt=words) | e.AttemptStarted(nonce=words) as event:
                step, visit = event.step, event.visit
                if told.setdefault((type(event), step, visit, answers), words) != words:
                    yield f"Step {step!r} of run {run!r} was told something else at visit {visit}."
            case _:
                pass


def _bad_rounds(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    entered = [at.event for at in envelopes if isinstance(at.event, e.StepEntered)]
    rounds = sum(at.step == "kanban" for at in entered)
    if rounds > MAX_ITERATIONS + 1:
        yield f"Run {run!r} went through {rounds} rounds."


def _bad_end(run: RunId, envelopes: list[Envelope]) -> Iterator[str]:
    """A completed run leaves nothing open; a failed one says what it leaves open."""
    reads = [at.event for at in envelopes if isinstance(at.event, k.KanbanRead)]
    match envelopes[-1].event:
        case e.RunCompleted() if reads[-1].open:
            yield f"Run {run!r} is complete, and {reads[-1].open} are open."
        case e.RunFailed(outcome=outcome) if reads and reads[-1].open:
            if not outcome.reason.endswith(f"Open: {', '.join(reads[-1].open)}."):
                yield f"Run {run!r} failed without telling what is open: {outcome.reason!r}."
        case _:
            pass


def _bad_logs(
    birth: e.RunSubmitted, place: KanbanPlace, envelopes: list[Envelope], evidence: Evidence
) -> Iterator[str]:
    """What counted is in the work logs, once, and what did not count is not there."""
    texts = _final(birth, place, evidence)
    found = Counter(mark for text in texts for mark in _MARK.findall(text))
    for mark, times in found.items():
        if times > 1:
            yield f"The work logs of run {birth.root!r} have {mark!r} {times} times."
    counted = set(_marks(envelopes))
    for mark in found.keys() - counted:
        yield f"The work logs of run {birth.root!r} have {mark!r}, which did not count."


def _final(birth: e.RunSubmitted, place: KanbanPlace, evidence: Evidence) -> list[str]:
    if place.directory is not None:
        contents = evidence.kanban_files.directories[place.directory].values()
        return [content.decode() for content in contents]
    tip = evidence.workspaces.branches.get(birth.branch or "")
    return [] if tip is None else list(evidence.workspaces.files(tip).values())


def _marks(envelopes: list[Envelope]) -> Iterator[str]:
    """Name the turns whose answers counted."""
    turns: Counter[tuple[str, int]] = Counter()
    for envelope in envelopes:
        event = envelope.event
        if isinstance(event, e.AttemptSucceeded | e.AttemptFailed):
            if isinstance(event, e.AttemptSucceeded):
                yield mark_of(event.step, event.visit, turns[event.step, event.visit])
            turns[event.step, event.visit] += 1


def _unreported_writes(run: RunId, envelopes: list[Envelope], evidence: Evidence) -> Iterator[str]:
    """Nothing that is forbidden is kept, and what was tried is told."""
    told = {
        f"{run}/{at.step}/{at.visit}/{at.slot}/worker/{at.attempt}"
        for envelope in envelopes
        if isinstance(at := envelope.event, e.WriteRefused)
    }
    for envelope in envelopes:
        event = envelope.event
        if not isinstance(event, e.AttemptSucceeded):
            continue
        label = f"{run}/{event.step}/{event.visit}/{event.slot}/worker/{event.attempt}"
        if FORBIDDEN in evidence.workspaces.files(event.snapshot.commit):
            yield f"{label!r} kept what it may not write."
        if label in evidence.history.refused and label not in told:
            yield f"{label!r} wrote what it may not, and nobody was told."


def _bad_branch(birth: e.RunSubmitted, place: KanbanPlace, evidence: Evidence) -> Iterator[str]:
    """Files of a plain directory never come onto the branch."""
    if place.directory is None:
        return
    for commit in commits_of(birth, evidence.workspaces):
        if any(path.startswith(FOLDER) for path in evidence.workspaces.files(commit)):
            yield f"{commit!r} has the files of {place.directory!r} on {birth.branch!r}."
