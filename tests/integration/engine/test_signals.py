"""A run that waits for a signal, and one that comes before it is waited for."""

from datetime import timedelta
from typing import Final

from msgspec import Struct
from tests.support.kernel import Kernel

from supervisor_ai.domain.envelope import Actor, ActorKind, Event
from supervisor_ai.domain.ids import LetterKey, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import AwaitSignal
from supervisor_ai.domain.run.inbox_commands import InboxCommand, Signal
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import opener

STEP: Final = StepName("listen")


class Wanted(Struct, frozen=True, kw_only=True):
    """How many signals end the run."""

    signals: int


class Heard(Struct, frozen=True, kw_only=True):
    """What the listener remembers."""

    wanted: int
    received: int = 0


class ListenerDriver:
    """Waits until it has heard enough."""

    name: Final = "toy-listener"
    state_type: Final = Heard
    definition_type: Final = Wanted

    def begin(self, birth: e.RunSubmitted, definition: Wanted) -> Heard:
        del birth
        return Heard(wanted=definition.signals)

    def evolve(self, state: Heard, event: Event) -> Heard:
        is_signal = isinstance(event, e.SignalReceived)
        return replace(state, received=state.received + is_signal)

    def decide(self, run: Run, state: Heard) -> Decision:
        is_enough = state.received >= state.wanted
        waits = [it for it in run.open.values() if isinstance(it, e.SignalAwaited)]
        if waits and is_enough:
            return Decision(events=(e.SignalHeard(step=STEP, visit=1),))
        if is_enough:
            outcome = Outcome(kind=OutcomeKind.DONE, reason="Heard.")
            return Decision(ending=Ending(status=RunStatus.COMPLETED, outcome=outcome))
        if waits:
            return Decision()
        return Decision(effects=(AwaitSignal(step=STEP, visit=1, signal="message"),))

    def fork(self, state: Heard) -> Heard:
        return state

    def migrate(self, state: Heard, definition: Wanted) -> Heard:
        return replace(state, wanted=definition.signals)

    def migration_problems(self, state: Heard, definition: Wanted) -> tuple[str, ...]:
        del state, definition
        return ()


def send(kernel: Kernel, run: RunId, key: str) -> None:
    letter = InboxCommand(
        key=LetterKey(key),
        run=run,
        command=Signal(signal="message"),
        actor=Actor(kind=ActorKind.USER, id="ada", via="cli"),
        sent_at=kernel.world.clock.now(),
    )
    kernel.world.inbox.put(letter)


def listening(signals: int) -> tuple[Kernel, RunId]:
    kernel = Kernel(None)
    drivers = {**kernel.world.drivers, ListenerDriver.name: opener(ListenerDriver())}
    kernel.world = replace(kernel.world, drivers=drivers)
    return kernel, kernel.submit(Wanted(signals=signals), driver=ListenerDriver.name)


def test_a_run_waits_until_a_signal_comes() -> None:
    kernel, run = listening(2)
    assert kernel.drive(run).status is RunStatus.WAITING
    [waiting] = kernel.events(run, e.RunWaiting)
    assert waiting.reason == "a message"
    for wake in kernel.world.wakes.due(now=kernel.world.clock.now() + timedelta(days=1)):
        kernel.world.wakes.done(wake)
    assert run not in kernel.world.wakes.orphans(now=kernel.world.clock.now())
    send(kernel, run, "first")
    assert run in kernel.world.wakes.orphans(now=kernel.world.clock.now())
    assert kernel.drive(run).status is RunStatus.WAITING
    send(kernel, run, "second")
    assert kernel.drive(run).status is RunStatus.COMPLETED


def test_a_signal_that_comes_first_is_not_lost() -> None:
    kernel, run = listening(1)
    send(kernel, run, "early")
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert kernel.events(run, e.SignalAwaited) == []


def test_a_signal_that_is_sent_twice_is_one() -> None:
    kernel, run = listening(2)
    kernel.drive(run)
    send(kernel, run, "same")
    send(kernel, run, "same")
    assert kernel.drive(run).status is RunStatus.WAITING
    assert len(kernel.events(run, e.SignalReceived)) == 1
