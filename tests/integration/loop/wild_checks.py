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
        assert (it.outcome in LOOKED) is not bool(it.reason)
        assert it.supervisor not in lacking or it.outcome is RunOutcome.UNAVAILABLE


def check_directives(scene: Scene, fate: Fate) -> None:
    """Hold every directive that there was against what became of it."""
    looks, added = scene.events(SupervisorRan), scene.events(DirectiveAdded)
    made = [it for look in looks for it in look.directives] + [it.directive for it in added]
    numbers = sorted(it.number for it in made)
    answered = _answered(scene)
    dropped = [it.number for it in scene.events(DirectiveDropped)]
    pending = [it.number for it in scene.state.book.pending_directives]
    assert numbers == list(range(1, len(made) + 1))
    assert numbers == sorted([*answered, *dropped, *pending]), "a directive vanished"
    assert _wanted(scene) <= {it.text for it in made}, "a directive was never taken up"
    assert len(added) == fate.pauses
    assert [scene.text(it.directive.text) for it in added] == [MINDED] * len(added)


def _succeeded(scene: Scene) -> set[tuple[object, int]]:
    return {(it.place, it.attempt) for it in scene.events(e.AttemptSucceeded)}


def _answered(scene: Scene) -> list[int]:
    """Name the directives that were answered by attempts that counted."""
    succeeded = _succeeded(scene)
    return [
        it.number
        for planned in scene.events(k.TaskPlanned)
        if (planned.place, planned.attempt) in succeeded
        for it in planned.answers
        if it.response is not DirectiveResponse.DEFERRED
    ]


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
