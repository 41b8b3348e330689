"""Weeks at the desk, day by day, with a process that is killed at any deed of any day."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from inspect import iscoroutinefunction
from typing import Any, Final, NamedTuple, TypeVar, cast

from tests.simulation.approvals.desk import Desk, Flaw, Who
from tests.simulation.approvals.orders import RIGHT, Parts
from tests.simulation.approvals.policies import Rules, Setting
from tests.simulation.processes import Killed
from tests.support.kernel import Kernel

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.state import WorkflowState
from supervisor_ai.engine.playback import _DrivenPlayback
from supervisor_ai.engine.ports.ledger import Batch
from supervisor_ai.engine.world import World

P = TypeVar("P")

DAY: Final = timedelta(days=1)
WEEK: Final = 7 * DAY
WORK: Final = ("medium 0", "payment 0", "small 0", "medium 3", "settings 1", "medium 1")
STRICT_QUIET: Final = Setting(rules=Rules.SEED, is_quiet=True, auto_commit=False, human=True)

Act = Callable[[Desk, RunId], None]


def _waits(by: timedelta) -> Act:
    return lambda desk, _run: desk.advance(by)


def _says(who: Who, *, is_yes: bool, flaw: Flaw = Flaw.NONE) -> Act:
    return lambda desk, run: desk.say(run, who, is_yes=is_yes, flaw=flaw)


def _comments(desk: Desk, run: RunId) -> None:
    desk.comment(run)


def _edits(desk: Desk, run: RunId) -> None:
    desk.edit(run, "auth 7")


def _breaks(desk: Desk, run: RunId) -> None:
    del run
    desk.kernel.fakes.notifier.broken.add("slack")


DIARY: Final[Mapping[str, Act]] = {
    "people are told, and may object": _waits(timedelta()),
    "the time to object goes on": _waits(timedelta(minutes=5)),
    "the time stands still in quiet hours": _waits(timedelta(hours=1)),
    "somebody comments on a line": _comments,
    "somebody objects": _says(Who.CAROL, is_yes=False),
    "a week later, it waits for two leads": _waits(WEEK),
    "a worker says yes": _says(Who.WORKER, is_yes=True),
    "the first lead says yes": _says(Who.BOB, is_yes=True),
    "the first lead says yes again": _says(Who.BOB, is_yes=True),
    "two weeks later, it waits for the second lead": _waits(2 * WEEK),
    "the second lead says yes": _says(Who.ADA, is_yes=True),
    "three weeks later, it waits to be completed": _waits(3 * WEEK),
    "the task is not complete": _says(Who.ADA, is_yes=False),
    "a small change waits for the step's own sign-off": _waits(DAY),
    "it is signed off": _says(Who.MALLORY, is_yes=True),
    "a person changes the files": _edits,
    "a lead agrees to that": _says(Who.ADA_SIGNED, is_yes=True),
    "the task is complete": _says(Who.ADA, is_yes=True),
    "nobody is told in quiet hours": _waits(timedelta(minutes=20)),
    "people are told when these are over": _waits(timedelta(hours=3)),
    "nobody objects within a day": _waits(DAY),
    "what was done after that is not complete": _says(Who.MALLORY, is_yes=False),
    "nobody can be told any more": _breaks,
    "settings need a lead": _waits(WEEK),
    "it is rejected": _says(Who.BOB, is_yes=False),
    "nobody was told, so that somebody must agree": _waits(5 * WEEK),
    "somebody agrees": _says(Who.MALLORY, is_yes=True),
    "everything is complete": _says(Who.ADA, is_yes=True),
}


class Shot(NamedTuple):
    """On which day and at which deed the process dies."""

    day: str
    deed: str


class Deeds:
    """Names what a process does on a day, and kills it at one of these deeds."""

    def __init__(self, fatal: str | None) -> None:
        self.passed: list[str] = []
        self.is_alive = True
        self._fatal = fatal

    def check(self) -> None:
        """Refuse to act for a dead process."""
        if not self.is_alive:
            raise Killed

    def mark(self, deed: str) -> None:
        """Pass a deed, or die at it."""
        self.check()
        self.passed.append(deed)
        if deed == self._fatal:
            self.is_alive = False
            raise Killed


class Door:
    """A port whose deeds are marked before and after; nothing of it works for the dead."""

    def __init__(self, deeds: Deeds, port: object, *marked: str) -> None:
        self._deeds = deeds
        self._port = port
        self._marked = marked

    def __getattr__(self, name: str) -> object:
        found = getattr(self._port, name)
        if not callable(found):
            return found
        is_deed = name in self._marked
        return (self._slow if iscoroutinefunction(found) else self._quick)(found, is_deed=is_deed)

    def _quick(self, call: Callable[..., object], *, is_deed: bool) -> Callable[..., object]:
        def marked(*args: object, **kwargs: object) -> object:
            self._deeds.check()
            name = _name(call, args)
            if is_deed:
                self._deeds.mark(f"before {name}")
            result = call(*args, **kwargs)
            if is_deed:
                self._deeds.mark(f"after {name}")
            return result

        return marked

    def _slow(self, call: Callable[..., object], *, is_deed: bool) -> Callable[..., object]:
        async def marked(*args: object, **kwargs: object) -> object:
            self._deeds.check()
            if is_deed:
                self._deeds.mark(f"before {_name(call, args)}")
            result = await call(*args, **kwargs)  # type: ignore[misc]
            if is_deed:
                self._deeds.mark(f"after {_name(call, args)}")
            return result

        return marked


def _name(call: Callable[..., object], args: tuple[object, ...]) -> str:
    if args and isinstance(args[0], Batch):
        kinds = [type(new.event).__name__ for append in args[0].appends for new in append.events]
        return f"commit of {'+'.join(kinds)}"
    return call.__name__


def _through(deeds: Deeds, world: World) -> World:
    def door(port: P, *marked: str) -> P:
        return cast("P", Door(deeds, port, *marked))

    return replace(
        world,
        log=door(world.log, "append"),
        leases=door(world.leases),
        inbox=door(world.inbox),
        cache=door(world.cache),
        wakes=door(world.wakes),
        artifacts=door(world.artifacts),
        examiner=door(world.examiner, "facts"),
        notifier=door(world.notifier, "deliver"),
        workspaces=door(world.workspaces, "land"),
        sandbox=door(world.sandbox, "run"),
        workers=lambda adapter: door(world.workers(adapter), "run"),
    )


class Weeks:
    """One run through all the days; a killed process is followed by another at once."""

    def __init__(
        self,
        kernel: Callable[..., Kernel],
        shot: Shot | None = None,
        *,
        dies_daily: bool = False,
        parts: Parts = RIGHT,
    ) -> None:
        self.desk = Desk(kernel, STRICT_QUIET, parts.drivers, parts.identities)
        self.desk.work = list(WORK)
        self.run = self.desk.runs[0]
        self.pictures: dict[str, Mapping[str, Any]] = {}
        self.deeds: list[Shot] = []
        for day, act in DIARY.items():
            act(self.desk, self.run)
            self._drive(day, shot)
            self.pictures[day] = picture(self.desk, self.run)
            if dies_daily:
                self.desk.restart()

    def story(self) -> list[str]:
        """Name what happened, without what a crash adds to it."""
        told: list[str] = []
        for envelope in self.desk.envelopes(self.run):
            if envelope.type.endswith("Lost"):
                while not told.pop().endswith("Started"):
                    pass
            elif envelope.type != "RunOwned":
                told.append(envelope.type)
        return told

    def _drive(self, day: str, shot: Shot | None) -> None:
        deeds = Deeds(shot.deed if shot is not None and shot.day == day else None)
        is_killed = not self.desk.live(self.run, _through(deeds, self.desk.world))
        self.deeds += [Shot(day, deed) for deed in deeds.passed]
        if is_killed:
            assert self.desk.live(self.run, self.desk.world)


def picture(desk: Desk, run: RunId) -> Mapping[str, Any]:
    """Tell how a run stands, without what a lost attempt changes: numbers and names of commits."""
    playback = desk.kernel.play(run)
    assert isinstance(playback, _DrivenPlayback)
    state, asked = playback._state, playback.run.approval
    assert isinstance(state, WorkflowState)
    clearance, told = state.clearance, state.clearance.told
    branch = desk.kernel.fakes.workspaces.branches.get(f"ai/{run}")
    return {
        "status": playback.run.status,
        "outcome": playback.run.outcome,
        "asked": asked and (asked.step, asked.visit, asked.reason, asked.tree, asked.assessment),
        "votes": playback.run.votes,
        "timers": {name: timer.due for name, timer in playback.run.timers.items()},
        "fired": playback.run.fired,
        "comments": playback.run.comments,
        "assessed": clearance.assessed and (clearance.assessed.tree, clearance.assessed.assessment),
        "cleared": clearance.cleared,
        "objected": clearance.objected,
        "told": told and (type(told), told.at if isinstance(told, e.NotificationDelivered) else ""),
        "head": state.head.tree,
        "visit": state.visit and (state.visit.step, state.visit.number, state.visit.approved),
        "landed": len(desk.kernel.events(run, e.IntegrationLanded)),
        "branch": branch and desk.tree_of(branch),
    }
