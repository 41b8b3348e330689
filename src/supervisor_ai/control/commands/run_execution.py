"""Resume and drive a run in the foreground with its children, until it ends or can only wait."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from supervisor_ai.control.commands.sandbox_choice import require_sandbox
from supervisor_ai.control.commands.workspaces.expiry import expire_after
from supervisor_ai.control.ports.queries import RunRow
from supervisor_ai.control.preflight import require_agents
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.slices import find_slice
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.effects import RunWorker
from supervisor_ai.domain.run.events import (
    ApprovalRequested,
    AttemptStarted,
    LaunchRequested,
    RunSubmitted,
)
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.consent import require_consent
from supervisor_ai.engine.dispatch import Shift
from supervisor_ai.engine.drive import DriveResult
from supervisor_ai.engine.playback import Playback
from supervisor_ai.engine.ports.ledger import Wake

_FAMILY_LIMIT: Final = 65
_LOOK_AT_NOTICES: Final = timedelta(seconds=20)
_FIRST_WAKE: Final = 1
_SHORT_REST: Final = timedelta(minutes=1)
"""A rest between two tries that nobody has to come back for."""


async def drive_run(project: OpenProject, run: RunId) -> DriveResult:
    """Drive one run in the sandbox that it was submitted for."""
    runtime = project.runtimes(project.birth(run).sandbox)
    try:
        result = await runtime.drive(run)
    finally:
        project.retry_logs.keep(project.records, run)
    await tell_due(project)
    if result.status is RunStatus.COMPLETED:
        await expire_after(project, run)
    return result


async def tell_due(project: OpenProject) -> None:
    """Tell people what they are owed; what cannot be written down stays owed, and stops no run."""
    with suppress(SupervisorError):
        await project.desk.deliver_due()


@asynccontextmanager
async def telling(project: OpenProject) -> AsyncIterator[None]:
    """Look now and then, meanwhile, whether quiet hours are over that held notices back."""
    task = asyncio.create_task(_keep_telling(project), name="notices")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _keep_telling(project: OpenProject) -> None:
    while True:
        await tell_due(project)
        await project.world.clock.sleep(_LOOK_AT_NOTICES.total_seconds())


async def drive_family(project: OpenProject, run: RunId, *, wait: bool = False) -> None:
    """Drive a run and its children until nothing is due soon; with `wait`, until the run ends.

    Raises Busy when somebody else drives the run, LeaseLost when somebody took it over.
    """
    # The first drive does not go through the queue, so that a resident process is not faster.
    await drive_run(project, run)
    project.world.wakes.done(first_wake(run))
    attendance = _Attendance(project=project, run=run, root=project.birth(run).root, wait=wait)
    await attendance.attend()


def first_wake(run: RunId) -> Wake:
    """Name the wake that a run is submitted with."""
    return Wake(run=run, number=_FIRST_WAKE)


@dataclass(slots=True, kw_only=True)
class _Attendance:
    """One person's wait for one run."""

    project: OpenProject
    run: RunId
    root: RunId
    wait: bool
    failures: list[SupervisorError] = field(default_factory=list)

    async def attend(self) -> None:
        shift = Shift(
            limit=_FAMILY_LIMIT, serves=self._serves, is_over=self._is_over, failed=self._failed
        )
        async with telling(self.project), self._following():
            await self.project.dispatcher.serve(self._drive, shift)
        if self.failures:
            raise self.failures[0]

    def _following(self) -> AbstractAsyncContextManager[None]:
        """Look at the folder of a session where this is its supervisor."""
        sessions = self.project.records.sessions.sessions()
        if not any(row.resident is not None and self._serves(row.resident) for row in sessions):
            return nullcontext()
        from supervisor_ai.control.sessions.folder.folder_watch import following

        return following(self.project, self._serves)

    async def _drive(self, run: RunId) -> DriveResult:
        return await drive_run(self.project, run)

    def _serves(self, run: RunId) -> bool:
        row = self.project.records.queries.run(run)
        return row is not None and row.root == self.root

    def _is_over(self, is_idle: bool) -> bool:  # noqa: FBT001 - the dispatcher says it so
        is_left = self._has_ended(self.run) if self.wait else not self._rests_shortly
        return bool(self.failures) or (is_idle and is_left)

    @property
    def _rests_shortly(self) -> bool:
        """Tell whether somebody of the family goes on before a person would be back."""
        soon = self.project.world.clock.now() + _SHORT_REST
        due = {wake.run for wake in self.project.world.wakes.due(now=soon)}
        return any(self._serves(it) and not self._has_ended(it) for it in due)

    def _failed(self, run: RunId, error: SupervisorError) -> None:
        del run
        self.failures.append(error)

    def _has_ended(self, run: RunId) -> bool:
        row = self.project.records.queries.run(run)
        return row is not None and row.status in ENDED


async def prepare_resume(project: OpenProject, name: str, *, will_approve: bool = False) -> RunRow:
    """Find a run and make sure that it could be driven here, unless it has ended."""
    row = project.records.find(name)
    if row.status not in ENDED:
        playback, _ = project.player.play(row.id)
        require_consent(project.world, playback.run)
        await require_sandbox(project, project.birth(row.id).sandbox)
        is_answered = will_approve or bool(project.world.inbox.pending(row.id))
        birth = project.birth(row.id)
        await require_workers(project, playback, birth, is_answered=is_answered)
    return row


async def require_workers(
    project: OpenProject, playback: Playback, birth: RunSubmitted, *, is_answered: bool = False
) -> None:
    """Refuse to go on where a worker would start next that could not; raises Unavailable."""
    found = find_slice(birth.driver)
    if found is None or found.definition is None:
        return
    definition = project.records.documents.load(playback.run.definition, found.definition)
    ahead = dict.fromkeys(_roles_ahead(playback))
    if is_answered:
        ahead |= dict.fromkeys(_roles_blocked(playback, definition))
    roles = {name: definition.roles[name] for name in ahead if name in definition.roles}
    needed = replace(definition, roles=roles)
    await require_agents(project.preflight.logins, needed, sandbox=birth.sandbox)


def _roles_ahead(playback: Playback) -> Iterator[str]:
    """Name the roles that work next, and those that were at it."""
    for effect in playback.decide().effects:
        if isinstance(effect, RunWorker):
            yield effect.role.name
    for intent in playback.run.open.values():
        if isinstance(intent, AttemptStarted | LaunchRequested):
            yield intent.role


def _roles_blocked(playback: Playback, definition: Definition) -> Iterator[str]:
    """Name the roles that try again when a person says so."""
    for intent in playback.run.open.values():
        if isinstance(intent, ApprovalRequested) and intent.reason == ApprovalReason.BLOCKED:
            step = definition.workflow.steps.get(intent.step)
            yield from () if step is None else step.crew
