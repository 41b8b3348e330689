"""What people were told of runs, what reached nobody, and whether they can be reached."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Final, Protocol

from msgspec import Struct

from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.ports.queries import NoticeRow, NoticeStatus
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.notices import NoticePolicy, NoticeSeverity
from supervisor_ai.engine.ports.clock import Ids
from supervisor_ai.engine.ports.notifications import (
    READY_CHANNELS,
    ChannelKind,
    ChannelSetting,
    Delivery,
    Notice,
    Notifier,
)
from supervisor_ai.tools.text import nearest

_LOOKED_AT: Final = 100


class AlertView(Struct, frozen=True, kw_only=True):
    """A run that waits, and whose user wants to see that on the board."""

    run: RunId
    severity: NoticeSeverity
    title: str
    since: datetime


class MissedView(Struct, frozen=True, kw_only=True):
    """A notice that a channel, or all of them, did not take."""

    run: RunId
    reason: str
    at: datetime
    is_lost: bool
    """Whether it reached nobody at all."""


def find_alerts(records: Records) -> Sequence[AlertView]:
    """Return what waits for the user, of that which they want to see on the board."""
    rows = records.queries.notices(limit=_LOOKED_AT)
    return [
        AlertView(
            run=row.run,
            severity=row.severity,
            title=one_line(records.text(row.words).partition("\n")[0]),
            since=row.owed_at,
        )
        for row in rows
        if row.is_current
        and row.status is NoticeStatus.DELIVERED
        and ChannelKind.TUI in row.channels
    ]


def find_missed(records: Records) -> Sequence[MissedView]:
    """Return what was not delivered since the last time that all went well."""
    ended = (row for row in records.queries.notices(limit=_LOOKED_AT) if _was_tried(row))
    return [
        MissedView(
            run=row.run,
            reason=one_line(row.reason),
            at=row.ended_at or row.owed_at,
            is_lost=row.status is NoticeStatus.FAILED,
        )
        for row in takewhile(lambda row: bool(row.reason), ended)
    ]


def _was_tried(row: NoticeRow) -> bool:
    return row.status in (NoticeStatus.DELIVERED, NoticeStatus.FAILED)


class UserNotifications(Protocol):
    """What the user's own config says about telling people; raises InvalidInput for mistakes."""

    def policy(self) -> NoticePolicy:
        """Return who hears of what."""
        ...

    def channels(self) -> Mapping[str, ChannelSetting]:
        """Return the user's channels."""
        ...


class CheckedNotifier(Notifier, Protocol):
    """Delivers, and knows beforehand what would stand in the way."""

    def obstacle(self, name: str) -> str | None:
        """Say what is missing of a channel, without a try; None: nothing that one could see."""
        ...


class Channels(Struct, frozen=True, kw_only=True):
    """The user's channels, and what delivers through them."""

    own: UserNotifications
    notifier: CheckedNotifier
    ids: Ids

    @property
    def names(self) -> tuple[str, ...]:
        """Name the channels that are configured or that a state is told through."""
        routed = {name for it in self.own.policy().routes.values() for name in it.channels}
        return tuple(sorted({*self.own.channels(), *routed}))


async def check_channels(channels: Channels, name: str | None) -> tuple[Delivery, ...]:
    """Send a message through one channel, or through all that the user has."""
    names = channels.names if name is None else (_known(channels, name),)
    if not names:
        raise NotFound(
            "Your config has no channel.",
            hint="Name one that needs no settings, as `supervisor notify test desktop`, or see "
            "docs/howto/notifications.md.",
        )
    notice = Notice(
        key=f"test/{channels.ids.nonce()}",
        run=None,
        severity=NoticeSeverity.INFO,
        title="A test of supervisor",
        body="If you read this, the channel works.",
        channels=names,
    )
    return await channels.notifier.deliver(notice)


def _known(channels: Channels, name: str) -> str:
    known = {*channels.names, *(kind.value for kind in READY_CHANNELS)}
    if name not in known:
        near = nearest(name, known)
        hint = f"Did you mean {near!r}?" if near else f"Channels: {', '.join(sorted(known))}."
        raise NotFound(f"There is no channel {name!r}.", hint=hint)
    return name
