"""Performing a notification: the channels are tried once, and what came of it is a fact."""

from collections.abc import Sequence
from typing import Final

from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.notices import NoticeState
from supervisor_ai.domain.run.effects import Notify
from supervisor_ai.domain.run.events import NotificationDelivered, NotificationFailed
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.effects.notice_words import NoticeStory, notice_words
from supervisor_ai.engine.ports.notifications import Delivery, Notice
from supervisor_ai.engine.world import Operation, World

_REASON_LENGTH: Final = 500


async def perform_notification(
    effect: Notify, operation: Operation
) -> NotificationDelivered | NotificationFailed:
    """Tell people about the tree; it is delivered if at least one channel took it."""
    world = operation.world
    story = NoticeStory(
        run=operation.run,
        about=effect.about,
        task=operation.text_of(effect.task),
        wait=effect.wait,
    )
    words = notice_words(story, world.redactor)
    notice = Notice(
        key=f"{operation.key}/{effect.tree[:12]}",
        run=operation.run,
        severity=effect.severity,
        title=words.title,
        body=words.body,
        channels=effect.channels or _usual_channels(world, effect.about),
    )
    deliveries = await try_to_deliver(world, notice)
    told = tuple(at.channel for at in deliveries if at.is_delivered)
    if not told:
        reason = why_nobody_was_told(world, notice, deliveries)
        return NotificationFailed(
            step=effect.step, visit=effect.visit, slot=effect.slot, reason=reason
        )
    return NotificationDelivered(
        step=effect.step,
        visit=effect.visit,
        slot=effect.slot,
        channels=told,
        at=world.clock.now(),
        failed=tuple(name for name in notice.channels if name not in told),
    )


def _usual_channels(world: World, about: NoticeState) -> tuple[str, ...]:
    route = world.notices().routes.get(about)
    return route.channels if route else ()


async def try_to_deliver(world: World, notice: Notice) -> tuple[Delivery, ...]:
    """Let the notice be delivered; what stands in the way of all channels is told of each."""
    try:
        return await world.notifier.deliver(notice)
    except SupervisorError as error:
        now = world.clock.now()
        return tuple(
            Delivery(channel=name, is_delivered=False, detail=error.message, at=now)
            for name in notice.channels
        )


def why_nobody_was_told(world: World, notice: Notice, deliveries: Sequence[Delivery]) -> str:
    """Say of each channel what stood in its way."""
    if not notice.channels:
        return "No channel is named."
    return f"No channel took it. {obstacles(world, notice, deliveries)}"


def obstacles(world: World, notice: Notice, deliveries: Sequence[Delivery]) -> str:
    """Say of each channel that did not take the notice what stood in its way."""
    tried = {at.channel: at for at in deliveries}
    missing = "There is no such channel."
    told = (
        f"{name}: {tried[name].detail if name in tried else missing}"
        for name in notice.channels
        if name not in tried or not tried[name].is_delivered
    )
    return world.redactor.redact(plain(" ".join(told))).text[:_REASON_LENGTH]
