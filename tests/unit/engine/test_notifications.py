"""A notice that a driver waits for: delivered, failed or lost, and never the end of a run."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from tests.support.kernel import Kernel
from tests.support.scripted_driver import Nothing, ScriptedDriver
from typing_extensions import override

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, TimerName, TreeSha
from supervisor_ai.domain.notices import NoticeSeverity, NoticeState
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.effects import Effect, Notify, SetTimer
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.effects.notice_words import LINE_LENGTH, NoticeStory, notice_words
from supervisor_ai.engine.playback import opener
from supervisor_ai.engine.ports.notifications import Delivery, Notice, Notifier, SilentNotifier
from supervisor_ai.engine.world import World
from supervisor_ai.testing.world import NoSecrets

TREE = TreeSha("0123456789abcdef")
TOLD = "told"


class Announcer(ScriptedDriver):
    """Tells people once, tries again what was lost, and then waits for a timer."""

    def __init__(self, effect: Notify) -> None:
        super().__init__(lambda run: Decision())
        self._effect = effect

    @override
    def evolve(self, state: Nothing, event: Event) -> Nothing:
        is_told = isinstance(event, e.NotificationDelivered | e.NotificationFailed)
        return Nothing(name=TOLD) if is_told else state

    @override
    def decide(self, run: Run, state: Nothing) -> Decision:
        if run.open or run.timers:
            return Decision()
        is_told = state.name == TOLD
        pause = SetTimer(timer=TimerName("pause"), after=timedelta(hours=1), parks=True)
        next_one: Effect = pause if is_told else self._effect
        return Decision(effects=(next_one,))


def effect(*channels: str, task: ArtifactHash) -> Notify:
    return Notify(
        step=StepName("land"),
        visit=1,
        tree=TREE,
        channels=channels,
        severity=NoticeSeverity.WARNING,
        about=NoticeState.OBJECTION,
        task=task,
        wait=timedelta(minutes=30),
    )


def announced(
    kernel: Kernel, *channels: str, task: str = "Do it.", notifier: Notifier | None = None
) -> World:
    driver = Announcer(effect(*channels, task=kernel.world.artifacts.put(task)))
    drivers = {driver.name: opener(driver)}
    return replace(kernel.world, drivers=drivers, notifier=notifier or kernel.world.notifier)


def submitted(kernel: Kernel) -> RunId:
    return kernel.submit(Nothing(), driver=Announcer.name)


def test_people_are_told_what_to_do() -> None:
    kernel = Kernel(None)
    run = submitted(kernel)
    kernel.drive(run, world=announced(kernel, "slack", "email", task="Mend it.\nAll of it."))
    [notice] = kernel.fakes.notifier.notices
    assert notice == Notice(
        key=f"{run}/land/1/1/notify/0123456789ab",
        run=run,
        severity=NoticeSeverity.WARNING,
        title=f"Run {run} may land a change: you may object",
        body=(
            "It lands 30 min after somebody was told, quiet hours not counted.\n"
            "Task: Mend it.\n"
            f"Object: supervisor reject {run} --reason WHY"
        ),
        channels=("slack", "email"),
    )


def test_it_is_delivered_where_one_channel_took_it() -> None:
    kernel = Kernel(None)
    kernel.fakes.notifier.broken.add("slack")
    run = submitted(kernel)
    kernel.drive(run, world=announced(kernel, "slack", "email"))
    [told] = kernel.events(run, e.NotificationDelivered)
    assert (told.channels, told.failed) == (("email",), ("slack",))
    assert told.at == kernel.fakes.clock.now()


@pytest.mark.parametrize(
    ("channels", "reason"),
    [
        ((), "No channel is named."),
        (("slack",), "No channel took it. slack: The channel is broken."),
        (("fax",), "No channel took it. fax: There is no channel 'fax'."),
    ],
)
def test_it_has_failed_where_no_channel_took_it(channels: tuple[str, ...], reason: str) -> None:
    kernel = Kernel(None)
    kernel.fakes.notifier.broken.add("slack")
    run = submitted(kernel)
    kernel.drive(run, world=announced(kernel, *channels))
    assert [it.reason for it in kernel.events(run, e.NotificationFailed)] == [reason]


def test_where_nobody_has_a_channel_nobody_is_told() -> None:
    kernel = Kernel(None)
    run = submitted(kernel)
    kernel.drive(run, world=announced(kernel, "slack", notifier=SilentNotifier()))
    [failed] = kernel.events(run, e.NotificationFailed)
    assert failed.reason == "No channel took it. slack: There is no such channel."


@dataclass
class Breaking:
    """A notifier that breaks off the first time."""

    error: Exception
    notices: list[Notice] = field(default_factory=list)

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        self.notices.append(notice)
        if len(self.notices) == 1:
            raise self.error
        at = notice.channels[0]
        now = Kernel(None).fakes.clock.now()
        return (Delivery(channel=at, is_delivered=True, detail="Taken.", at=now),)


def test_what_stands_in_the_way_of_all_channels_is_a_failure_and_no_error() -> None:
    kernel = Kernel(None)
    run = submitted(kernel)
    broken = Breaking(Unavailable("The disk is full."))
    kernel.drive(run, world=announced(kernel, "slack", notifier=broken))
    [failed] = kernel.events(run, e.NotificationFailed)
    assert failed.reason == "No channel took it. slack: The disk is full."


def test_a_notice_whose_owner_died_is_lost_and_told_again_by_the_same_key() -> None:
    kernel = Kernel(None)
    run = submitted(kernel)
    dying = Breaking(RuntimeError("killed"))
    world = announced(kernel, "slack", notifier=dying)
    with pytest.raises(RuntimeError):
        kernel.drive(run, world=world)
    kernel.drive(run, world=world)
    assert len(kernel.events(run, e.NotificationLost)) == 1
    assert len(kernel.events(run, e.NotificationDelivered)) == 1
    first, again = dying.notices
    assert first == again


def story(task: str = "Do it.", about: NoticeState = NoticeState.FAILED) -> NoticeStory:
    return NoticeStory(run=RunId("r1"), about=about, task=task, reason="It broke.")


@pytest.mark.parametrize("about", NoticeState)
def test_every_state_has_words_that_name_the_run(about: NoticeState) -> None:
    words = notice_words(story(about=about), NoSecrets())
    assert words.title.startswith("Run r1 ")
    assert words.body.startswith("It broke.\nTask: Do it.\n")
    assert "supervisor " in words.body


def test_the_words_are_plain_short_and_without_secrets() -> None:
    key = "sk-ant-" + "api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
    task = f"Use {key} \x1b[31mnow\x07\u202e {'long ' * 100}\nand more"
    body = notice_words(story(task=task), RuleRedactor(key=b"k" * 32)).body
    assert key not in body
    assert not any(ord(letter) < 32 and letter != "\n" for letter in body)
    assert all(len(line) <= LINE_LENGTH + 40 for line in body.splitlines())
    assert "and more" not in body
