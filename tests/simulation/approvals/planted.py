"""Bugs on purpose in the place of right parts of approvals; the orders must find all of them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple, cast

from tests.simulation.approvals.desk import Who
from tests.simulation.approvals.orders import Parts, Start
from tests.simulation.approvals.policies import Rules, Setting

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.people import People, Person, Unproven
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.effects import Effect, Notify, RequestApproval, SetTimer
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.approvals import OBJECTIONS
from supervisor_ai.drivers.moves.state import WorkflowState
from supervisor_ai.drivers.workflow.driver import WorkflowDriver
from supervisor_ai.engine.playback import Opener, Playback, opener
from supervisor_ai.engine.ports.artifacts import Documents
from supervisor_ai.engine.ports.identities import Identities

_LONG_AGO: Final = datetime(2029, 1, 1, tzinfo=UTC)


class AnyTree(WorkflowDriver):
    """What was cleared once is cleared whatever becomes of it."""

    def decide(self, run: Run, state: WorkflowState) -> Decision:  # type: ignore[explicit-override]
        clearance = state.clearance
        if clearance.cleared is not None:
            clearance = replace(clearance, cleared=state.head.tree)
        return super().decide(run, replace(state, clearance=clearance))


class OldAssessment(WorkflowDriver):
    """What one policy has said counts under another."""

    def migrate(  # type: ignore[explicit-override]
        self, state: WorkflowState, definition: Definition
    ) -> WorkflowState:
        return replace(super().migrate(state, definition), clearance=state.clearance)


class ForkedClearance(WorkflowDriver):
    """What people have agreed to counts for every fork."""

    def fork(self, state: WorkflowState) -> WorkflowState:  # type: ignore[explicit-override]
        return replace(super().fork(state), clearance=state.clearance)


class Forgetful(WorkflowDriver):
    """Nobody remembers that somebody has said no."""

    def evolve(  # type: ignore[explicit-override]
        self, state: WorkflowState, event: Event
    ) -> WorkflowState:
        after = super().evolve(state, event)
        if isinstance(event, e.ApprovalRefused):
            return replace(after, clearance=state.clearance)
        return after


class Obedient(WorkflowDriver):
    """The first of several people who agree is enough."""

    def evolve(  # type: ignore[explicit-override]
        self, state: WorkflowState, event: Event
    ) -> WorkflowState:
        after = super().evolve(state, event)
        if isinstance(event, e.ApprovalCounted):
            return replace(after, clearance=replace(after.clearance, cleared=event.tree))
        return after

    def decide(self, run: Run, state: WorkflowState) -> Decision:  # type: ignore[explicit-override]
        asked = run.approval
        if asked is not None and asked.tree == state.clearance.cleared and run.votes:
            lapsed = e.ApprovalLapsed(
                step=asked.step, visit=asked.visit, slot=asked.slot, tree=asked.tree
            )
            return Decision(events=(lapsed,))
        return super().decide(run, state)


class Undelivered(WorkflowDriver):
    """The time to object begins before anybody was told."""

    def decide(self, run: Run, state: WorkflowState) -> Decision:  # type: ignore[explicit-override]
        decision = super().decide(run, state)
        effects = [it for at in decision.effects for it in self._untold(state, at)]
        return replace(decision, effects=tuple(effects))

    def _untold(self, state: WorkflowState, effect: Effect) -> tuple[Effect, ...]:
        assessed = state.clearance.assessed
        if not isinstance(effect, Notify) or assessed is None:
            return (effect,)
        asked = RequestApproval(
            step=effect.step,
            visit=effect.visit,
            reason=ApprovalReason.RISK,
            tree=effect.tree,
            commit=assessed.commit,
            question=assessed.shown,
            assessment=assessed.assessment,
        )
        return asked, SetTimer(timer=OBJECTIONS, after=assessed.assessment.timeout, parks=True)


class Sleepless(WorkflowDriver):
    """Time goes on in quiet hours."""

    def decide(self, run: Run, state: WorkflowState) -> Decision:  # type: ignore[explicit-override]
        decision = super().decide(run, state)
        return replace(decision, effects=tuple(self._hasty(state, it) for it in decision.effects))

    def _hasty(self, state: WorkflowState, effect: Effect) -> Effect:
        told, assessed = state.clearance.told, state.clearance.assessed
        if not isinstance(effect, SetTimer) or effect.timer != OBJECTIONS or assessed is None:
            return effect
        assert isinstance(told, e.NotificationDelivered)
        return replace(effect, at=told.at + assessed.assessment.timeout)


class Edited(WorkflowDriver):
    """What a person makes of the files needs nobody's yes."""

    def evolve(  # type: ignore[explicit-override]
        self, state: WorkflowState, event: Event
    ) -> WorkflowState:
        after = super().evolve(state, event)
        if isinstance(event, e.ChangeEdited):
            return replace(after, clearance=replace(after.clearance, cleared=event.tree))
        return after


class Deaf(WorkflowDriver):
    """A message that nobody got is as good as one that somebody got."""

    def evolve(  # type: ignore[explicit-override]
        self, state: WorkflowState, event: Event
    ) -> WorkflowState:
        if isinstance(event, e.NotificationFailed | e.NotificationLost):
            after = super().evolve(state, event)
            at = e.NotificationDelivered(
                step=event.step, visit=event.visit, slot=event.slot, channels=(), at=_LONG_AGO
            )
            return replace(after, clearance=replace(after.clearance, told=at))
        return super().evolve(state, event)


class TwiceCounted:
    """A run in which nobody remembers who has agreed, only how many."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback

    def __getattr__(self, name: str) -> object:
        return getattr(self._playback, name)

    @property
    def run(self) -> Run:
        run = self._playback.run
        return replace(run, votes=tuple(f"#{at}" for at, _ in enumerate(run.votes)))


class EverybodyLeads:
    """Identities that put everybody into every group, also strangers."""

    def __init__(self, identities: Identities) -> None:
        self._identities = identities

    def people(self) -> People:
        known = self._identities.people()
        return People(groups=dict.fromkeys(known.groups, known.everybody))

    def user(self) -> str:
        return self._identities.user()

    def project(self) -> str:
        return self._identities.project()

    def verify(self, document: bytes, signature: bytes) -> Person | Unproven:
        return self._identities.verify(document, signature)


def _instead(driver: WorkflowDriver) -> Parts:
    """Let another driver decide what happens next."""

    def drivers(usual: Mapping[str, Opener]) -> Mapping[str, Opener]:
        return {**usual, driver.name: opener(driver)}

    return Parts(drivers=drivers)


def _counted(usual: Mapping[str, Opener]) -> Mapping[str, Opener]:
    right = usual[WorkflowDriver.name]

    def begin(run: RunId, birth: e.RunSubmitted, documents: Documents) -> Playback:
        return cast("Playback", TwiceCounted(right(run, birth, documents)))

    return {**usual, WorkflowDriver.name: begin}


class Planted(NamedTuple):
    """A bug, and where to begin to look for it."""

    parts: Parts
    start: Start


_USUAL: Final = Setting(rules=Rules.SEED, is_quiet=False, auto_commit=True, human=False)


def _start(*work: str, setting: Setting = _USUAL, speech: tuple[Who, bool] | None = None) -> Start:
    return Start(setting=setting, work=work, speech=speech)


PLANTED: Final[Mapping[str, Planted]] = {
    "a clearance that ignores the tree": Planted(
        _instead(AnyTree()), _start("small 0", "payment 0")
    ),
    "an assessment under another policy": Planted(
        _instead(OldAssessment()),
        _start("small 0", setting=_USUAL._replace(auto_commit=False), speech=(Who.ADA, True)),
    ),
    "a fork that inherits a yes": Planted(_instead(ForkedClearance()), _start("auth 0")),
    "an objection that is forgotten": Planted(
        _instead(Forgetful()), _start("medium 0", speech=(Who.CAROL, False))
    ),
    "one yes in place of two": Planted(_instead(Obedient()), _start("payment 0")),
    "a timer that runs before anybody was told": Planted(
        _instead(Undelivered()), _start("medium 0")
    ),
    "a timer that runs in quiet hours": Planted(
        _instead(Sleepless()), _start("medium 0", setting=_USUAL._replace(is_quiet=True))
    ),
    "an edit that needs nobody": Planted(_instead(Edited()), _start("auth 0")),
    "a message that nobody got": Planted(
        _instead(Deaf()), _start("medium 0", setting=_USUAL._replace(rules=Rules.MUTE))
    ),
    "votes that count twice": Planted(
        Parts(drivers=_counted), _start("payment 0", speech=(Who.BOB, True))
    ),
    "strangers among the leads": Planted(
        Parts(identities=EverybodyLeads), _start("auth 0", speech=(Who.CAROL, True))
    ),
}
