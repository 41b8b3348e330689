"""What is known of a team by its facts."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import InternalError
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.team.event_kinds import liveness, ownership, reconcile
from supervisor_ai.drivers.team.event_kinds import roster as r
from supervisor_ai.drivers.team.event_kinds import tasks as t
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact, TeamFact
from supervisor_ai.drivers.team.machines import liveness as stages
from supervisor_ai.drivers.team.machines import ownership as owners
from supervisor_ai.drivers.team.machines import reconcile as locks
from supervisor_ai.drivers.team.machines import shelves
from supervisor_ai.drivers.team.machines import task as task_machine
from supervisor_ai.drivers.team.machines import teardown as ends
from supervisor_ai.drivers.team.machines import tool_register as register
from supervisor_ai.drivers.team.machines.alerts import Alerts, after_fact
from supervisor_ai.drivers.team.machines.liveness import TeamMember
from supervisor_ai.drivers.team.machines.notes import marker_of
from supervisor_ai.drivers.team.machines.shelves import Shelves
from supervisor_ai.drivers.team.machines.task import TeamTask
from supervisor_ai.drivers.team.staffing.roles import TeamRole
from supervisor_ai.drivers.team.words import WaitReason

_WAITS: Final = {
    t.TaskClaimed: WaitReason.CODING,
    t.TaskSubmitted: WaitReason.WAITING_REVIEW,
    t.TaskReopened: WaitReason.CODING,
    t.TaskStuck: WaitReason.BLOCKED,
}
"""What a member is at after what it sent."""


class RefusalWindow(Struct, frozen=True, kw_only=True):
    """How many refusals of a member were recorded lately."""

    since: datetime
    count: int


class FollowedRun(Struct, frozen=True, kw_only=True):
    """A run of our own whose workers are members, and how far its stream was taken."""

    run: RunId
    upto: int
    status: r.FollowStatus


class TeamState(Struct, frozen=True, kw_only=True):
    """A team, folded; members and tasks may be many, so that a fact copies few of them."""

    created: r.TeamCreated | None = None
    index: int = 0
    """How many facts there were: the replay index."""
    latest: datetime | None = None
    shown: int = 0
    """The place of the newest fact that state.md shows."""
    ownership: owners.StateOwnership = field(default_factory=owners.StateOwnership)
    reconcile: locks.Reconcile = field(default_factory=locks.Reconcile)
    teardown: ends.Teardown = field(default_factory=ends.Teardown)
    members: Shelves[TeamMember] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    """Who was a member and is none any more."""
    tasks: Shelves[TeamTask] = field(default_factory=dict)
    runs: Shelves[FollowedRun] = field(default_factory=dict)
    """The runs that work for the team, or did."""
    tools: dict[str, register.ToolRecord] = field(default_factory=dict)
    alerts: Alerts = field(default_factory=dict)
    refusals: Shelves[RefusalWindow] = field(default_factory=dict)
    noteworthy: int = 0
    """The newest fact that is to be noted in DECISIONS.md."""
    noted: int = 0
    """Up to which fact DECISIONS.md has what is to be noted."""
    speaking: int = 0
    """The place of the newest fact because of which something may be said."""
    delivered: int = 0
    """Up to which fact all was said that there was to say."""
    read: dict[str, int] = field(default_factory=dict)
    """Up to which message of the session each member was shown what is for it."""
    watched_since: datetime | None = None
    """Since when silence counts: the supervisor hears nothing before it owns the state."""

    def member(self, name: str) -> TeamMember | None:
        """Return somebody on the roster; None: it is not there."""
        return shelves.get(self.members, name)

    def task(self, name: str) -> TeamTask | None:
        """Return a task; None: there is none of that name."""
        return shelves.get(self.tasks, name)

    def followed(self, run: str) -> FollowedRun | None:
        """Return how far the stream of a run was taken; None: it does not work for the team."""
        return shelves.get(self.runs, run)

    def roster(self) -> Iterator[TeamMember]:
        """Return all members, in an order that depends on their names alone."""
        return shelves.values(self.members)

    def all_tasks(self) -> Iterator[TeamTask]:
        """Return all tasks, in an order that depends on their names alone."""
        return shelves.values(self.tasks)

    def open_tasks(self) -> tuple[TeamTask, ...]:
        """Return the tasks that are neither done nor cancelled."""
        return tuple(task for task in self.all_tasks() if task.is_open)

    def active_roles(self) -> frozenset[TeamRole]:
        """Return the roles that somebody has."""
        return frozenset(member.role for member in self.roster())

    @property
    def lock(self) -> locks.LockStatus:
        """Tell whether the operational state may be written."""
        return self.reconcile.status


def evolve(state: TeamState, event: Event) -> TeamState:
    """Fold one recorded fact into the team."""
    if not isinstance(event, TeamFact):
        raise InternalError(f"{type(event).__name__} is no fact of a team.")
    index = state.index + 1
    shown = index if event.is_shown else state.shown
    noteworthy = state.noteworthy if marker_of(event) is None else index
    speaking = index if event.speaks else state.speaking
    state = replace(state, index=index, latest=event.at, shown=shown)
    state = replace(state, noteworthy=noteworthy, speaking=speaking)
    state = _dispatch(_heard(state, event), event)
    alerts = after_fact(state.alerts, event, owner_of(state, event))
    return state if alerts is state.alerts else replace(state, alerts=alerts)


def owner_of(state: TeamState, event: TeamFact) -> str:
    """Name whose matter a fact is, as reports do."""
    if silent := getattr(event, "silent", ()):
        return ", ".join(silent)
    if isinstance(event, TaskFact):
        task = state.task(event.task)
        return (task.owner if task else "") or event.actor
    member = getattr(event, "member", None)
    return member if isinstance(member, str) else event.actor


def _heard(state: TeamState, event: TeamFact) -> TeamState:
    """Note that whoever did something is alive; what is refused says nothing."""
    member = None if isinstance(event, r.EventRefused) else state.member(event.actor)
    if member is None:
        return state
    has_progress = event.is_progress or getattr(event, "has_progress", False)
    wait = _WAITS.get(type(event), member.wait)
    if isinstance(event, liveness.ActivityNoted):
        wait = event.wait
    return _with_member(
        state,
        replace(
            member,
            last_activity_at=event.at,
            last_progress_at=event.at if has_progress else member.last_progress_at,
            wait=wait,
            wait_since=member.wait_since if wait is member.wait else event.at,
            files=getattr(event, "files", ()) or member.files,
        ),
    )


def _dispatch(state: TeamState, event: TeamFact) -> TeamState:
    """Let the machine move whose fact it is."""
    if isinstance(event, TaskFact):
        return _of_task(state, event)
    match event.__class__.__module__.rpartition(".")[2]:
        case "ownership":
            return _of_ownership(state, event)
        case "reconcile":
            return _of_reconcile(state, event)
        case "teardown":
            return replace(state, teardown=ends.evolve(state.teardown, event))
        case "liveness":
            return _of_silence(state, event)
        case "tools":
            return _of_tools(state, event)
        case "decisions":
            return replace(state, noted=getattr(event, "upto", state.noted))
        case _:
            return _of_roster(state, event)


def _of_ownership(state: TeamState, event: TeamFact) -> TeamState:
    state = replace(state, ownership=owners.evolve(state.ownership, event))
    if isinstance(event, ownership.OwnershipAcknowledged):
        return replace(state, watched_since=event.at)
    return state


def _of_reconcile(state: TeamState, event: TeamFact) -> TeamState:
    state = replace(state, reconcile=locks.evolve(state.reconcile, event))
    if isinstance(event, reconcile.ReconcileLockExited):
        # Heartbeats were not written under the lock, so that silence begins anew.
        return replace(state, watched_since=event.at)
    return state


def _of_roster(state: TeamState, event: TeamFact) -> TeamState:
    match event:
        case r.TeamCreated():
            return replace(state, created=event)
        case r.MemberJoined():
            left = tuple(name for name in state.left if name != event.member)
            return _with_member(replace(state, left=left), _joined(event))
        case r.MemberLeft(member=name):
            gone = state.member(name)
            # Whoever worked in one run alone never comes back.
            left = state.left if gone is not None and gone.run else (*state.left, name)
            return replace(state, members=shelves.drop(state.members, name), left=left)
        case r.EventRefused(actor=actor, at=at, count=count):
            known = shelves.get(state.refusals, actor)
            since = known.since if known is not None and count > 1 else at
            window = RefusalWindow(since=since, count=count)
            return replace(state, refusals=shelves.put(state.refusals, actor, window))
        case r.MessagesDelivered(upto=upto):
            return replace(state, delivered=upto)
        case r.MessagesRead(actor=actor, upto=upto):
            return replace(state, read={**state.read, actor: upto})
        case r.RunFollowed():
            followed = FollowedRun(run=event.run, upto=event.upto, status=event.status)
            return replace(state, runs=shelves.put(state.runs, event.run, followed))
        case _:
            raise InternalError(f"No machine of a team knows {type(event).__name__}.")


def _joined(event: r.MemberJoined) -> TeamMember:
    return TeamMember(
        name=event.member,
        role=event.role,
        capabilities=event.capabilities,
        run=event.run,
        joined_at=event.at,
        last_activity_at=event.at,
        last_progress_at=event.at,
        wait_since=event.at,
    )


def _of_silence(state: TeamState, event: TeamFact) -> TeamState:
    if not isinstance(event, liveness.IdleFact | liveness.IdleCleared):
        return state
    member = state.member(event.member)
    if member is None:
        return state
    state = _with_member(state, stages.evolve(member, event))
    if not isinstance(event, liveness.MemberPinged | liveness.MemberNudged) or event.is_quiet:
        return state
    for name in event.to:
        addressee = state.member(name)
        if addressee is not None:
            state = _with_member(state, stages.told(addressee, event.word, event.task, event.at))
    return state


def _of_tools(state: TeamState, event: TeamFact) -> TeamState:
    tool = getattr(event, "tool", None)
    if tool is None:
        return state
    known = state.tools.get(tool) or register.ToolRecord(tool=tool)
    return replace(state, tools={**state.tools, tool: register.evolve(known, event)})


def _of_task(state: TeamState, event: TaskFact) -> TeamState:
    if isinstance(event, t.TaskOpened):
        return _with_task(state, task_machine.opened(event))
    before = state.task(event.task)
    if before is None:
        raise InternalError(f"{type(event).__name__} is about a task that was never added.")
    after = task_machine.evolve(before, event)
    state = _with_task(state, after)
    return _owned(_disowned(state, before, after), after)


def _disowned(state: TeamState, before: TeamTask, after: TeamTask) -> TeamState:
    member = state.member(before.owner)
    is_owner = before.owner == after.owner and after.is_open
    if member is None or is_owner or before.task not in member.tasks:
        return state
    left = tuple(name for name in member.tasks if name != before.task)
    return _with_member(state, replace(member, tasks=left))


def _owned(state: TeamState, task: TeamTask) -> TeamState:
    member = state.member(task.owner)
    if member is None or not task.is_open or task.task in member.tasks:
        return state
    return _with_member(state, replace(member, tasks=(*member.tasks, task.task)))


def _with_member(state: TeamState, member: TeamMember) -> TeamState:
    return replace(state, members=shelves.put(state.members, member.name, member))


def _with_task(state: TeamState, task: TeamTask) -> TeamState:
    return replace(state, tasks=shelves.put(state.tasks, task.task, task))
