"""What the supervisor says because of a fact: to whom, and in which words.

A fact leads to the same messages whoever asks, so that who says them twice says them once.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.decisions.approvals import need_of
from supervisor_ai.drivers.team.decisions.bridge import OWNERS
from supervisor_ai.drivers.team.decisions.silence import reviewers_of
from supervisor_ai.drivers.team.event_kinds import (
    decisions,
    liveness,
    ownership,
    reconcile,
    tasks,
    teardown,
    tools,
)
from supervisor_ai.drivers.team.event_kinds.fact import TaskFact, TeamFact
from supervisor_ai.drivers.team.machines.task import TeamTaskStatus
from supervisor_ai.drivers.team.state import TeamState, owner_of
from supervisor_ai.drivers.team.text.answers import ONLINE
from supervisor_ai.drivers.team.text.messages import MessageKind, MessageTemplates, MessageValues
from supervisor_ai.drivers.team.text.report import minutes
from supervisor_ai.drivers.team.words import WaitReason

LEAD: Final = "lead"
_DECIDE: Final = "Needs decision: yes; "


class TeamNotice(Struct, frozen=True, kw_only=True):
    """A message of the supervisor."""

    to: str
    """A member, or `lead`."""
    kind: str
    """The type of the message: the word of the fact."""
    text: str
    more: ArtifactHash | None = None
    """A text that belongs to it."""
    values: dict[str, str] = field(default_factory=dict)


def notices_of(state: TeamState, fact: TeamFact, templates: MessageTemplates) -> list[TeamNotice]:
    """Return what is said because of a fact; most facts say nothing."""
    if isinstance(fact, liveness.MemberPinged | liveness.MemberNudged | liveness.IdleCleared):
        return _to_members(state, fact, templates)
    to_lead = _TO_LEAD.get(type(fact))
    if to_lead is not None:
        text = to_lead(state, fact)
        return [_notice(fact, LEAD, text, _more(fact))] if text else []
    return _others(state, fact)


def _notice(fact: TeamFact, to: str, text: str, more: ArtifactHash | None = None) -> TeamNotice:
    named = {name: getattr(fact, name, None) for name in ("task", "member", "tool")}
    values = {name: it for name, it in named.items() if isinstance(it, str) and it}
    return TeamNotice(to=to, kind=kind_of(fact), text=text, more=more, values=values)


def kind_of(fact: TeamFact) -> str:
    """Return the type of a fact's messages, which is one word."""
    return fact.word.replace(" ", "_")


def _more(fact: TeamFact) -> ArtifactHash | None:
    return fact.diff if isinstance(fact, reconcile.RollbackPlanned) else None


_Staged = liveness.MemberPinged | liveness.MemberNudged | liveness.IdleCleared


def _to_members(state: TeamState, fact: _Staged, templates: MessageTemplates) -> list[TeamNotice]:
    """Choose the seed's message by what the member is at."""
    if isinstance(fact, liveness.IdleCleared):
        values = MessageValues(id=fact.task, member=fact.member)
        text = templates.render(MessageKind.RECOVERY_CONFIRMATION, values)
        return [_notice(fact, fact.member, text)] if fact.task else []
    member = state.member(fact.member)
    is_blocked = member is not None and member.wait is WaitReason.BLOCKED
    if fact.is_review:
        is_first = isinstance(fact, liveness.MemberPinged)
        kind = MessageKind.REVIEW_REMINDER if is_first else MessageKind.REVIEW_NUDGE
    elif isinstance(fact, liveness.MemberPinged):
        kind = MessageKind.GENTLE_PING
    else:
        kind = MessageKind.BLOCKER_ASSIST if is_blocked else MessageKind.PROGRESS_NUDGE
    values = MessageValues(id=fact.task, member=fact.member, elapsed=minutes(fact.elapsed))
    return [_notice(fact, name, templates.render(kind, values)) for name in fact.to]


def _others(state: TeamState, fact: TeamFact) -> list[TeamNotice]:
    match fact:
        case tasks.TaskReassigned(task=task, owner=owner):
            owners = {it.owner for it in state.open_tasks() if it.owner}
            text = f"Ownership map: {_ownership_map(state)}. Task #{task} is {owner}'s."
            return [_notice(fact, to, text) for to in (LEAD, *sorted({*owners, owner}))]
        case tools.ToolDecided(tool=tool, decision=decision):
            known = state.tools.get(tool)
            text = f"The Lead decided about {tool}: {decision.value.replace('_', ' ')}."
            return [_notice(fact, to, text) for to in (known.agents if known else ())]
        case tools.MatterRouted(to=to, actor=actor, kind=kind, text=more):
            return [_notice(fact, to, f"{actor} sends {kind} for you.", more)]
        case tasks.TaskOpened() | tasks.TaskSubmitted():
            return _to_all_asked(state, fact)
        case TaskFact() if type(fact) in _TO_OWNER:
            owner = owner_of(state, fact)
            text = _TO_OWNER[type(fact)](state, fact)
            return [_notice(fact, to, text) for to in _outside(state, (owner,))]
        case teardown.ShutdownRequested(targets=targets):
            text = "The team ends: finish, persist what you have, and send SHUTDOWN_ACK."
            return [_notice(fact, to, text) for to in targets]
        case teardown.AckRetried(missing=missing, round=number):
            text = f"The team ends and waits for your SHUTDOWN_ACK (round {number} of 3)."
            return [_notice(fact, to, text) for to in missing]
        case _:
            return []


def _outside(state: TeamState, names: Iterable[str]) -> list[str]:
    """Return those who read messages: a worker of a run of ours is told by its run."""
    members = (state.member(name) for name in names)
    return [it.name for it in members if it is not None and it.run is None]


def _to_all_asked(
    state: TeamState, fact: tasks.TaskOpened | tasks.TaskSubmitted
) -> list[TeamNotice]:
    """Tell those who can do a task, or who have to review it, as long as that is still so."""
    task = state.task(fact.task)
    if task is None or not task.is_open:
        return []
    if isinstance(fact, tasks.TaskOpened):
        free = [it.name for it in state.roster() if it.role in OWNERS and not task.owner]
        text = f"There is task #{task.task}. To do it: CLAIM: task {task.task}."
        return [_notice(fact, to, text, fact.subject) for to in _outside(state, free)]
    answers = f"APPROVED: task {task.task}, or MAJOR (80%): task {task.task}. What. Scenario: when."
    text = f"{fact.actor} asks for your review of task #{task.task}. Answer with {answers}"
    more = f" Files: {', '.join(task.files[:20])}." if task.files else ""
    asked = reviewers_of(state, task) if task.status is TeamTaskStatus.IN_REVIEW else ()
    return [_notice(fact, to, f"{text}{more}") for to in _outside(state, asked)]


def _agreed(state: TeamState, fact: tasks.TaskApproved) -> str:
    task = state.task(fact.task)
    waits = () if task is None else need_of(state, task).still_open(task.approvals)
    then = f"It waits for {', '.join(waits)}." if waits else f"Say DONE: task {fact.task}."
    return f"{fact.actor} approved task #{fact.task}. {then}"


def _ownership_map(state: TeamState) -> str:
    owned = [f"#{it.task} {it.owner}" for it in state.open_tasks() if it.owner]
    return ", ".join(owned[:40]) or "nobody owns a task"


Tell = Callable[..., str]
"""Takes the state and a fact of the kind that it is registered for."""


def _late(state: TeamState, fact: liveness.StagedFact) -> str:
    member = state.member(fact.member)
    stage = "" if member is None else f", stage {member.stage.value}"
    about = f"{'the review of ' if fact.is_review else ''}task #{fact.task}"
    who = ", ".join(fact.silent) or fact.member
    waits = f", which {fact.member} waits for," if fact.silent else ""
    told = f"{who} is silent on {about}{waits} for {minutes(fact.elapsed)}{stage}."
    if isinstance(fact, liveness.ReplacementProposed):
        return f"{told} {_DECIDE}replace {who}, or reassign?"
    return told


def _overlap(state: TeamState, fact: tasks.OverlapFound) -> str:
    """Tell of a pair once: the canonical one's fact says nothing more."""
    if fact.task == fact.canonical:
        return ""
    keeper = state.task(fact.canonical)
    owner = keeper.owner if keeper else ""
    return (
        f"Tasks #{fact.task} and #{fact.other} touch the same files "
        f"({', '.join(fact.files[:5])}); both are frozen. {_DECIDE}who goes on? "
        f"Recommended: {owner} with #{fact.canonical}."
    )


def _proposal(state: TeamState, fact: tasks.ReassignmentProposed) -> str:
    del state
    whom = f" to {fact.candidate}" if fact.candidate else ""
    return (
        f"Task #{fact.task} of {fact.owner}: {fact.reason.value.replace('_', ' ')}. "
        f"{_DECIDE}{fact.strategy.value.replace('_', ' ')}{whom}?"
    )


def _plan(state: TeamState, fact: reconcile.RollbackPlanned) -> str:
    del state
    touched = ", ".join(f"#{it}" for it in fact.tasks) or "none"
    told = f"state.md goes back to snapshot {fact.replay_index}; tasks touched: {touched}."
    return f"{told} {_DECIDE}RECONCILE_ACK?" if fact.needs_ack else told


def _of(text: str) -> Tell:
    """Fill in the fields of a fact."""

    def tell(state: TeamState, fact: TeamFact) -> str:
        shown = {
            name: ", ".join(map(str, it)) if isinstance(it, tuple) else it
            for name in fact.__struct_fields__
            if (it := getattr(fact, name)) is not None
        }
        reason = str(shown.get("reason") or "").rstrip(".")
        because = f": {reason}" if reason else ""
        return text.format(**shown, whose=owner_of(state, fact), because=because)

    return tell


_TO_LEAD: Final[Mapping[type[TeamFact], Tell]] = {
    ownership.OwnershipAcknowledged: _of(
        "STATE_OWNERSHIP_ACK({offered}): {actor}@{offered} writes. " + ONLINE
    ),
    ownership.HandoffDuplicated: _of("Epoch {offered} was handed over already; nothing changed."),
    ownership.HandoffMissed: _of(
        f"No STATE_OWNERSHIP_HANDOFF came; you still own the state. {_DECIDE}hand over?"
    ),
    ownership.SplitBrainDetected: _of(
        "{owners} own the state in one epoch; RECONCILE_LOCK holds. " + _DECIDE + "ARBITRATION?"
    ),
    liveness.MemberEscalated: _late,
    liveness.ReplacementProposed: _late,
    tasks.TaskStuck: _of("{actor} is stuck on task #{task}, attempt {attempt}{because}."),
    tasks.WaitImpossible: _of(
        "STUCK: task #{task} of {whose} waits for {missing}, and nobody is that. "
        + _DECIDE
        + "whom do you add?"
    ),
    tasks.LoopSuspected: _of(
        "LOOP_SUSPECTED: task #{task} of {whose} after {rounds} rounds ({issue}); it is "
        "quarantined. " + _DECIDE + "{advice}?"
    ),
    tasks.DuplicateClaimFound: _of(
        "Task #{task} is claimed by {claimants}; frozen. " + _DECIDE + "who keeps it? "
        "The first is recommended."
    ),
    tasks.OverlapFound: _overlap,
    tasks.TaskEscalated: _of(
        "ESCALATE TO MEDIUM: task #{task}, from {actor}{because}. "
        + _DECIDE
        + "spawn specialized reviewers?"
    ),
    tasks.ReassignmentProposed: _proposal,
    tools.ToolReported: _of(
        "{actor} misses {tool} at task #{task}. "
        + _DECIDE
        + "skip, retry, or proceed with a caveat?"
    ),
    tools.ToolFoundSystemic: _of("Systemic: {tool} fails for {agents}."),
    reconcile.StateDiverged: _of("state.md was changed by somebody else; the edit is kept."),
    reconcile.SnapshotNotFound: _of(
        "No verifiable snapshot; STATE_FROZEN. " + _DECIDE + "how to go on?"
    ),
    reconcile.SnapshotConflicted: _of(
        "Several snapshots claim {replay_index}; STATE_FROZEN. " + _DECIDE + "how to go on?"
    ),
    reconcile.ReconcileConflicted: _of(
        "The check {check} fails at {places}; STATE_FROZEN. " + _DECIDE + "how to go on?"
    ),
    reconcile.RollbackPlanned: _plan,
    reconcile.ReconcileLockExited: _of("RECONCILE_LOCK_EXIT: {end}."),
    decisions.DecisionsScopeViolated: _of("DECISIONS_SCOPE_VIOLATION: {reason}"),
    decisions.DecisionsMarkerMissed: _of(
        "DECISIONS_MARKER_MISSING: {reason} Nothing is noted until then."
    ),
    tasks.TaskClosed: _of("Task #{task} of {whose} is done."),
    teardown.TeardownBlocked: _of("The teardown waits: {reasons}."),
    teardown.FinalizeProposed: _of(
        "No SHUTDOWN_ACK from {missing} after all rounds. " + _DECIDE + "FORCED_FINALIZE_ACK?"
    ),
    teardown.TeardownFailed: _of("TEARDOWN_FAILED_SAFE: {reason}"),
    teardown.TeardownReady: _of("READY_TO_DELETE: you can delete the team."),
}
"""What the Lead hears, by the kind of fact."""
_TO_OWNER: Final[Mapping[type[TeamFact], Tell]] = {
    tasks.TaskApproved: _agreed,
    tasks.TaskSentBack: _of("{actor} wants task #{task} changed: {issue}. Then IN_REVIEW again."),
    tasks.TaskResumed: _of("Task #{task} goes on where it stood."),
    tasks.TaskWithdrawn: _of("Task #{task} is cancelled: nobody does it any more."),
}
"""What the owner of a task hears."""
SPEAKING: Final = frozenset(
    {
        *_TO_LEAD,
        *_TO_OWNER,
        *(tasks.TaskOpened, tasks.TaskSubmitted),
        *(liveness.MemberPinged, liveness.MemberNudged, liveness.IdleCleared),
        *(tasks.TaskReassigned, tools.ToolDecided, tools.MatterRouted),
        *(teardown.ShutdownRequested, teardown.AckRetried),
    }
)
"""The kinds of facts because of which something may be said."""
