"""What holds for every loop, whatever its roles, models, sandboxes and processes do."""

from collections.abc import Iterator

from tests.integration.loop.wild_loops import MEDDLED, MEDDLING, MINDED, READER, RULES, Fate
from tests.support.loop_scene import Scene

from supervisor_ai.control.ports.knowledge import StoreFile
from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.documents.knowledge.store_text import MarkdownStore
from supervisor_ai.documents.knowledge.writer import index_text
from supervisor_ai.domain.knowledge.documents import INDEX, area_of
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.drivers.loop import events as k
from supervisor_ai.drivers.loop.briefs import BriefWriter
from supervisor_ai.drivers.loop.routes import LoopPhase
from supervisor_ai.drivers.quality.directives import DirectiveResponse
from supervisor_ai.drivers.quality.events import (
    DirectiveAdded,
    DirectiveDropped,
    FindingsTaken,
    SupervisorRan,
)
from supervisor_ai.drivers.quality.supervisors import LOOKED, STORE, RunOutcome
from supervisor_ai.testing.fake_workspaces import Files

_BELOW = f"{STORE}/"
_OWNERS = {folder: it.name for it in BUILTIN for folder in it.owns}
_STORE = MarkdownStore(READER)
_SETTLING = {DirectiveResponse.EXPLAINED, DirectiveResponse.ESCALATED}


def check_all(scene: Scene, fate: Fate) -> None:
    """Check everything that holds for a loop that was played."""
    check_limits(scene)
    check_looks(scene, fate)
    check_directives(scene, fate)
    check_books(scene)
    check_refusals(scene)
    check_aides(scene)


def check_limits(scene: Scene) -> None:
    """Look whether the loop ended within its limits."""
    marked = scene.events(k.TaskMarked)
    assert len(marked) <= RULES.max_tasks + RULES.polish_tasks
    assert all(it.qa_failures <= RULES.max_attempts for it in marked)
    assert [it.task for it in marked] == list(range(1, len(marked) + 1))
    assert scene.kernel.status(scene.run) in {
        *(RunStatus.COMPLETED, RunStatus.FAILED),
        # A role without a model asks a person, and the person's patience ends.
        RunStatus.WAITING,
    }


def check_looks(scene: Scene, fate: Fate) -> None:
    """Look whether a look that came to nothing says why."""
    lacking = {it.name for at, it in enumerate(BUILTIN) if at in fate.lacking}
    for it in scene.events(SupervisorRan):
        assert it.outcome in LOOKED or it.reason
        assert not it.refused or it.reason
        assert it.supervisor not in lacking or it.outcome is RunOutcome.UNAVAILABLE


def check_directives(scene: Scene, fate: Fate) -> None:
    """Hold every directive that there was against what became of it."""
    looks, added = scene.events(SupervisorRan), scene.events(DirectiveAdded)
    made = [it for look in looks for it in look.directives] + [it.directive for it in added]
    numbers = sorted(it.number for it in made)
    settled = _settled(scene)
    dropped = [it.number for it in scene.events(DirectiveDropped)]
    pending = [it.number for it in scene.state.book.pending_directives]
    assert numbers == list(range(1, len(made) + 1))
    assert numbers == sorted([*settled, *dropped, *pending]), "a directive vanished"
    check_sight(scene, pending)
    assert _wanted(scene) <= {it.text for it in made}, "a directive was never taken up"
    assert len(added) == fate.pauses
    assert [scene.text(it.directive.text) for it in added] == [MINDED] * len(added)


def _succeeded(scene: Scene) -> set[tuple[object, int]]:
    return {(it.place, it.attempt) for it in scene.events(e.AttemptSucceeded)}


def check_sight(scene: Scene, pending: list[int]) -> None:
    """Look whether whoever plans next sees every directive: as a question, or as a line."""
    book = scene.state.book
    writer = BriefWriter(book=book, read=scene.text)
    told = writer.directives() + writer.milestone()
    doing = book.current.does if book.current else ()
    for it in book.pending_directives:
        is_shown = it.is_cleanup or book.phase is LoopPhase.WORK
        assert not is_shown or it.number in doing or f"[{it.number}] " in told, "out of sight"


def _settled(scene: Scene) -> list[int]:
    """Name the directives that an answer settled, or a task that was done."""
    succeeded = _succeeded(scene)
    settled: list[int] = []
    does: tuple[int, ...] = ()
    for it in (envelope.event for envelope in scene.kernel.envelopes(scene.run)):
        if isinstance(it, k.TaskMarked):
            settled += does if it.outcome is k.TaskOutcome.DONE else ()
        elif isinstance(it, k.TaskPlanned) and (it.place, it.attempt) in succeeded:
            does = it.does
            settled += [said.number for said in it.answers if said.response in _SETTLING]
    return settled


def _wanted(scene: Scene) -> set[str]:
    """Name what supervisors asked for in answers that counted, as their workers wrote it."""
    succeeded = _succeeded(scene)
    told = {(it.visit, it.slot) for it in scene.events(SupervisorRan) if it.outcome in LOOKED}
    return {
        it.text
        for found in scene.events(FindingsTaken)
        if (found.place, found.attempt) in succeeded and (found.visit, found.slot) in told
        for it in found.directives
    }


def history(scene: Scene) -> Iterator[tuple[Files, Files]]:
    """Go back over the commits of the run's branch: the files before each, and after it."""
    workspaces = scene.kernel.fakes.workspaces
    at = workspaces.branches.get(scene.branch)
    while at is not None and (before := workspaces.commits[at].parent) is not None:
        yield workspaces.files(before), workspaces.files(at)
        at = before


def check_books(scene: Scene) -> None:
    """Look at every commit of the branch: its store is valid, and each wrote in its own place."""
    for before, after in history(scene):
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        written = {path for path in changed if path.startswith(_BELOW)}
        assert written in (set(), changed), f"a commit of its own, not {sorted(changed)}"
        assert written <= after.keys(), "documents are never removed"
        _check_store(after, {path.removeprefix(_BELOW) for path in written})


def _check_store(files: Files, written: set[str]) -> None:
    store = {
        path.removeprefix(_BELOW): text for path, text in files.items() if path.startswith(_BELOW)
    }
    found = _STORE.contents(StoreFile(path=it, content=store[it].encode()) for it in store)
    assert not found.problems, f"the store is not valid: {found.problems[0].sentence}"
    assert store.keys() == {*found.documents, *([INDEX] if store else [])}
    assert not store or store[INDEX] == index_text(found.documents.values())
    for path, it in found.documents.items():
        assert it.by == _OWNERS[str(area_of(path))], f"{path} is by {it.by}"
    owners = {_OWNERS[str(area_of(path))] for path in written - {INDEX}}
    assert len(owners) <= 1, f"{sorted(owners)} in one commit"


def check_refusals(scene: Scene) -> None:
    """Look whether every write elsewhere is on record, and on no branch."""
    refused = {(it.place, it.attempt) for it in scene.events(e.WriteRefused)}
    for it in scene.events(e.AttemptSucceeded):
        is_meddling = MEDDLING in scene.text(it.answer)
        assert not is_meddling or (it.place, it.attempt) in refused
    for look in scene.events(SupervisorRan):
        folders = {path.removeprefix(_BELOW).partition("/")[0] for path in look.updated}
        assert {_OWNERS.get(folder) for folder in folders} <= {look.supervisor}
    for _, after in history(scene):
        assert MEDDLED not in after


def check_aides(scene: Scene) -> None:
    """Look whether every question that was asked is answered, or on record as not."""
    succeeded = _succeeded(scene)
    asked = [it for it in scene.events(k.QuestionsAsked) if (it.place, it.attempt) in succeeded]
    told = [it for it in scene.events(k.ResearchTaken) if (it.place, it.attempt) in succeeded]
    waiting = bool(scene.state.book.research.questions)
    settled = len(told) + len(scene.events(k.ResearchMissed)) + waiting
    assert len(asked) == settled, "a question was never answered"
    for it in scene.events(k.SummaryTaken):
        assert 0 < it.tasks <= len(scene.events(k.TaskMarked))
