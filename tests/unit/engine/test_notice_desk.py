"""People hear of a state once, by one process, over restarts and not in quiet hours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import TypeVar

import pytest
from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.errors import InvalidInput, NotFound, StaleVersion
from supervisor_ai.domain.ids import (
    PROJECT_STREAM,
    ArtifactHash,
    EffectKey,
    RunId,
    StepName,
    StreamId,
)
from supervisor_ai.domain.notices import NoticePolicy, NoticeRoute, NoticeSeverity, NoticeState
from supervisor_ai.domain.project import events as p
from supervisor_ai.domain.project.notices import Notices, evolve, state_of
from supervisor_ai.domain.quiet_hours import WEEK, QuietHours, QuietWindow
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.policy import ApprovalAction, Assessment, RiskLevel
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.inbox_commands import Approve, Cancel
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.notice_desk import NoticeDesk
from supervisor_ai.engine.effects.owed_notices import owe_notice
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.ports.ledger import Batch, Head
from supervisor_ai.engine.ports.monitor import SilentMonitor
from supervisor_ai.engine.ports.notifications import Delivery, Notice
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.world import World
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import agrees, says

T = TypeVar("T")

ASKS = flow(work("build"), stop("ask", StepKind.HUMAN))
WARNING = NoticeRoute(severity=NoticeSeverity.WARNING, channels=("slack",))
CRITICAL = NoticeRoute(severity=NoticeSeverity.CRITICAL, channels=("slack", "tui"))
ALL = NoticePolicy(routes=dict.fromkeys(NoticeState, WARNING))


@dataclass
class Scene:
    """A kernel whose user wants to hear of what happens."""

    policy: NoticePolicy = ALL
    kernel: Kernel = field(default_factory=lambda: Kernel(None))

    def world(self, base: World | None = None) -> World:
        return replace(base or self.kernel.world, notices=lambda: self.policy)

    def driven(self, definition: Definition = ASKS) -> RunId:
        run = self.kernel.submit(definition)
        self.kernel.drive(run, world=self.world())
        return run

    def tell(self, world: World | None = None) -> None:
        run_virtual(NoticeDesk(world or self.world(), "me").deliver_due())

    def approve(self, run: RunId) -> None:
        asked = self.kernel.events(run, e.ApprovalRequested)[-1]
        yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree)
        self.kernel.send(run, f"yes {asked.visit}", yes)

    @property
    def titles(self) -> list[str]:
        return [notice.title for notice in self.kernel.fakes.notifier.notices]

    def facts(self, kind: type[T]) -> list[T]:
        stream = self.kernel.world.log.read(PROJECT_STREAM)
        return [at.event for at in stream if isinstance(at.event, kind)]


def test_people_hear_once_that_a_run_waits_and_once_that_it_is_done() -> None:
    scene = Scene()
    run = scene.driven()
    scene.tell()
    scene.tell()
    assert scene.titles == [f"Run {run} needs you: it waits for an approval"]
    scene.kernel.drive(run, world=scene.world())
    scene.tell()
    assert len(scene.titles) == 1, "driving it again is no new state"
    scene.approve(run)
    assert scene.kernel.drive(run, world=scene.world()).status is RunStatus.COMPLETED
    scene.tell()
    assert scene.titles[1:] == [f"Run {run} is completed"]
    assert [it.channels for it in scene.facts(p.NoticeDelivered)] == [("slack",)] * 2


def test_the_state_and_what_is_owed_for_it_are_one_commit() -> None:
    scene = Scene()
    run = scene.driven()
    [waiting] = [at for at in scene.kernel.envelopes(run) if isinstance(at.event, e.RunWaiting)]
    [owed] = list(scene.kernel.world.log.read(PROJECT_STREAM))
    assert isinstance(owed.event, p.NoticeOwed)
    assert owed.recorded_at == waiting.recorded_at
    assert owed.event.key == f"{run}/ask/1/1/approval/{_tree(scene, run)[:12]}"


def _tree(scene: Scene, run: RunId) -> str:
    return scene.kernel.events(run, e.ApprovalRequested)[-1].tree


def test_each_visit_is_told_by_itself() -> None:
    scene = Scene()
    run = scene.driven(flow(stop("ask", StepKind.HUMAN), stop("again", StepKind.HUMAN)))
    scene.approve(run)
    scene.kernel.drive(run, world=scene.world())
    scene.tell()
    keys = [it.key for it in scene.facts(p.NoticeOwed)]
    assert [key.split("/")[1] for key in keys] == ["ask", "again"]
    assert len(scene.titles) == 1, "what is not true any more is not told"
    assert len(scene.facts(p.NoticeDropped)) == 1


@pytest.mark.parametrize(
    "policy",
    [
        NoticePolicy(),
        NoticePolicy(routes={NoticeState.APPROVAL: replace(WARNING, channels=())}),
        NoticePolicy(routes={NoticeState.FAILED: WARNING}),
    ],
)
def test_what_nobody_wants_to_hear_is_not_recorded(policy: NoticePolicy) -> None:
    scene = Scene(policy)
    scene.driven()
    scene.tell()
    assert list(scene.kernel.world.log.read(PROJECT_STREAM)) == []


def blocks(request: WorkerRequest) -> FakeReply:
    kind = request.role
    return replace(agrees(request), output=says(kind, "BLOCKED", blockers=["No key."]))  # type: ignore[arg-type]


def test_a_blocked_worker_is_a_state_of_its_own() -> None:
    scene = Scene(kernel=Kernel(None, blocks))
    run = scene.driven(flow(work("build")))
    scene.tell()
    assert scene.titles == [f"Run {run} needs you: it is blocked"]


def test_a_cancelled_run_is_told_and_a_failed_one_says_why() -> None:
    scene = Scene()
    run = scene.driven()
    scene.kernel.send(run, "stop", Cancel(reason=None))
    scene.kernel.drive(run, world=scene.world())
    scene.tell()
    assert scene.titles == [f"Run {run} was cancelled"]
    assert scene.kernel.fakes.notifier.notices[0].body.startswith("The run was cancelled.\nTask: ")


def test_no_channel_that_takes_it_stops_no_run() -> None:
    scene = Scene()
    scene.kernel.fakes.notifier.broken.add("slack")
    run = scene.driven()
    scene.tell()
    assert scene.kernel.status(run) is RunStatus.WAITING
    [failed] = scene.facts(p.NoticeFailed)
    assert failed.reason == "No channel took it. slack: The channel is broken."
    scene.tell()
    assert len(scene.titles) == 1


def test_what_one_of_two_channels_did_not_take_is_known() -> None:
    scene = Scene(NoticePolicy(routes={NoticeState.APPROVAL: CRITICAL}))
    scene.kernel.fakes.notifier.broken.add("slack")
    scene.driven()
    scene.tell()
    [told] = scene.facts(p.NoticeDelivered)
    assert (told.channels, told.failed) == (("tui",), ("slack",))
    assert told.reason == "slack: The channel is broken."


NIGHT = QuietHours(windows=(QuietWindow(days=WEEK, start=time(22), end=time(7)),))


def silenced(route: NoticeRoute) -> Scene:
    scene = Scene(NoticePolicy(routes=dict.fromkeys(NoticeState, route), quiet_hours=NIGHT))
    scene.kernel.fakes.clock.advance(timedelta(hours=23))
    return scene


def to_the_morning(scene: Scene) -> None:
    scene.kernel.fakes.clock.advance(timedelta(hours=10))


def test_in_quiet_hours_only_what_is_critical_is_told() -> None:
    scene = silenced(WARNING)
    scene.driven()
    scene.tell()
    assert scene.titles == []
    to_the_morning(scene)
    scene.tell()
    assert len(scene.titles) == 1
    loud = silenced(CRITICAL)
    loud.driven()
    loud.tell()
    assert len(loud.titles) == 1


def test_what_was_answered_in_the_night_is_not_told_in_the_morning() -> None:
    scene = silenced(WARNING)
    run = scene.driven()
    scene.approve(run)
    scene.kernel.drive(run, world=scene.world())
    to_the_morning(scene)
    scene.tell()
    assert scene.titles == [f"Run {run} is completed"]


def test_one_process_delivers_what_several_could() -> None:
    scene = Scene()
    run = scene.driven()
    first, second = scene.world(), scene.world(scene.kernel.process())
    taken = p.NoticeTaken(
        key=scene.facts(p.NoticeOwed)[0].key, run=run, process=first.processes.current()
    )
    scene.kernel.tell_project(taken)
    scene.tell(second)
    assert scene.titles == [], "somebody alive is at it"
    scene.kernel.kill(1)
    scene.tell(second)
    scene.tell(second)
    assert len(scene.titles) == 1
    assert len(scene.facts(p.NoticeTaken)) == 2


@dataclass
class Dying:
    """A notifier whose process is killed while it delivers."""

    notices: list[Notice] = field(default_factory=list)

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        self.notices.append(notice)
        raise RuntimeError("killed")


def test_a_notice_whose_process_died_is_told_again_by_the_same_key() -> None:
    scene = Scene()
    scene.driven()
    dying = Dying()
    with pytest.raises(RuntimeError):
        scene.tell(replace(scene.world(), notifier=dying))
    scene.kernel.kill(1)
    scene.tell(scene.world(scene.kernel.process()))
    [again] = scene.kernel.fakes.notifier.notices
    assert dying.notices == [again]


def test_a_user_whose_config_cannot_be_read_stops_no_run() -> None:
    scene = Scene()

    def unreadable() -> NoticePolicy:
        raise InvalidInput("The definitions have a mistake.")

    run = scene.kernel.submit(ASKS)
    scene.kernel.drive(run, world=replace(scene.kernel.world, notices=unreadable))
    assert scene.kernel.status(run) is RunStatus.WAITING
    assert scene.facts(p.NoticeOwed) == []


class Forgetful:
    """Artifacts of which some were erased."""

    def __init__(self, scene: Scene) -> None:
        self._artifacts = scene.kernel.fakes.artifacts

    def put(self, text: str) -> ArtifactHash:
        return self._artifacts.put(text)

    def get(self, artifact: ArtifactHash) -> str:
        text = self._artifacts.get(artifact)
        if text.startswith(("Run ", "Do it.")):
            raise NotFound("It was erased.")
        return text

    def writer(self) -> object:
        return self._artifacts.writer()

    def erase(self, artifact: ArtifactHash) -> None:
        self._artifacts.erase(artifact)


def test_a_notice_whose_words_were_erased_names_the_run() -> None:
    scene = Scene()
    run = scene.driven()
    world = replace(scene.world(), artifacts=Forgetful(scene))  # type: ignore[arg-type]
    scene.tell(world)
    assert scene.titles == [f"Run {run}: approval"]


def test_a_task_that_was_erased_is_no_obstacle() -> None:
    scene = Scene()
    run = scene.kernel.submit(flow(stop("ask", StepKind.HUMAN)))
    world = replace(scene.world(), artifacts=Forgetful(scene))  # type: ignore[arg-type]
    scene.kernel.drive(run, world=world)
    scene.tell()
    assert "Task: \n" in scene.kernel.fakes.notifier.notices[0].body


def test_a_run_that_cannot_be_read_may_still_wait() -> None:
    scene = Scene()
    scene.driven()
    scene.tell(replace(scene.world(), drivers={}))
    assert len(scene.titles) == 1


def test_facts_about_notices_that_nobody_knows_change_nothing() -> None:
    run = RunId("r1")
    process = Kernel(None).world.processes.current()
    facts = (
        p.NoticeTaken(key="k", run=run, process=process),
        p.NoticeDelivered(key="k", run=run, channels=("a",)),
        p.AccountsClosed(run=run),
    )
    for fact in facts:
        assert evolve(Notices(), fact) == Notices()


def test_the_end_of_a_run_ends_what_is_known_of_its_notices() -> None:
    scene = Scene()
    run = scene.driven()
    scene.approve(run)
    scene.kernel.drive(run, world=scene.world())
    scene.tell()
    notices = Notices()
    for envelope in scene.kernel.world.log.read(PROJECT_STREAM):
        notices = evolve(notices, envelope.event)
    assert notices == Notices()


def test_a_run_that_works_is_in_no_state_to_tell_of() -> None:
    kernel = Kernel(None)
    assert state_of(kernel.play(kernel.submit(ASKS)).run) is None


class Racing:
    """A log to which somebody else always, or for some time, writes first."""

    def __init__(self, scene: Scene, races: int) -> None:
        self._log = scene.kernel.world.log
        self._races = races

    def race(self, times: int) -> None:
        self._races = times

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        if self._races > 0:
            self._races -= 1
            raise StaleVersion("The stream has grown.")
        return self._log.append(batch)

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        return iter(self._log.read(stream, after=after, upto=upto))

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()


def test_a_race_that_is_lost_is_run_again_and_one_that_never_ends_is_left() -> None:
    scene = Scene()
    scene.driven()
    scene.tell(replace(scene.world(), log=Racing(scene, 10_000)))
    assert scene.titles == []
    scene.tell(replace(scene.world(), log=Racing(scene, 3)))
    assert len(scene.titles) == 1


@dataclass
class Interfering:
    """A notifier during whose delivery others begin to write without an end."""

    log: Racing

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        del notice
        self.log.race(10_000)
        return ()


def test_an_outcome_that_cannot_be_written_is_an_error() -> None:
    scene = Scene()
    scene.driven()
    log = Racing(scene, 0)
    with pytest.raises(StaleVersion, match="grew faster"):
        scene.tell(replace(scene.world(), log=log, notifier=Interfering(log)))


def test_what_another_one_has_delivered_meanwhile_is_left_alone() -> None:
    scene = Scene()
    run = scene.driven()
    [owed] = scene.facts(p.NoticeOwed)
    desk = NoticeDesk(scene.world(), "me")
    [notice] = desk._due()
    scene.kernel.tell_project(p.NoticeFailed(key=owed.key, run=run, reason="No."))
    run_virtual(desk._deliver(notice))
    assert scene.titles == []


def test_a_run_that_ends_for_lack_of_money_and_one_that_waits_for_it_are_told_as_such() -> None:
    kernel = Kernel(None)
    run = kernel.play(kernel.submit(ASKS)).run
    outcome = Outcome(kind=OutcomeKind.BUDGET_EXHAUSTED, reason="No money.")
    ended = replace(run, status=RunStatus.FAILED, outcome=outcome)
    state = state_of(ended)
    assert state is not None
    assert (state.about, state.key) == (NoticeState.BUDGET, f"{run.id}/failed")
    child = replace(run.birth, parent=RunId("r0"))
    assert state_of(replace(ended, birth=child)) is None
    asked = e.LaunchRequested(step=StepName("build"), visit=2, attempt=1, role="r", cli="c")
    waiting = replace(run, status=RunStatus.WAITING, open={EffectKey("k"): asked})
    state = state_of(waiting)
    assert state is not None
    assert (state.about, state.key) == (NoticeState.BUDGET, f"{run.id}/build/2/1/budget")
    assert state_of(replace(waiting, open={})) is None


def test_a_state_that_comes_again_in_the_same_visit_is_told_once() -> None:
    scene = Scene()
    run = scene.driven()
    [owed] = scene.facts(p.NoticeOwed)
    journal = journal_of(scene, run)
    owe_notice(journal, scene.world())
    journal.commit()
    assert scene.facts(p.NoticeOwed) == [owed]


def journal_of(scene: Scene, run: RunId) -> Journal:
    world = scene.world()
    process = world.processes.current()
    lease = world.leases.acquire(run, owner="me", process=process, ttl=timedelta(minutes=1))
    version = len(scene.kernel.envelopes(run))
    return Journal(world.log, lease, scene.kernel.play(run), version, SilentMonitor())


def test_who_was_told_that_they_may_object_is_not_told_to_approve() -> None:
    scene = Scene()
    run = scene.kernel.play(scene.driven()).run
    [asked] = run.open.values()
    assert isinstance(asked, e.ApprovalRequested)
    found = Assessment(level=RiskLevel.MEDIUM, action=ApprovalAction.NOTIFY_AND_TIMEOUT, because=())
    key = EffectKey("k")
    assert state_of(replace(run, open={key: replace(asked, assessment=found)})) is None
    stricter = replace(found, action=ApprovalAction.REQUIRE_APPROVAL)
    state = state_of(replace(run, open={key: replace(asked, assessment=stricter)}))
    assert state is not None
    assert state.about is NoticeState.APPROVAL
