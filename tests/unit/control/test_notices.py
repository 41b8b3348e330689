"""What of notices is shown on the board, by doctor, and by a test of the channels."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.control.run_rows import MOMENT, FakeQueries

from supervisor_ai.control.commands.doctor import DoctorCheck, _channels, _missed
from supervisor_ai.control.ports.queries import NoticeRow, NoticeStatus
from supervisor_ai.control.queries.notices import (
    AlertView,
    Channels,
    MissedView,
    check_channels,
    find_alerts,
    find_missed,
)
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import NotFound
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.notices import (
    NO_NOTICES,
    NoticePolicy,
    NoticeRoute,
    NoticeSeverity,
    NoticeState,
)
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.notifications import ChannelKind, ChannelSetting, Delivery, Notice
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.fake_notifier import MemoryNotifier
from supervisor_ai.testing.ids import FakeIds
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger


def records(*rows: NoticeRow) -> Records:
    artifacts = MemoryArtifacts()
    artifacts.put("Run r1 \x1b[1mwaits\nTask: Do it.")
    return Records(
        ledger=Path("/repository/.supervisor/state.db"),
        queries=FakeQueries(told=list(rows)),
        log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )


ROW = NoticeRow(
    key="r1/ask/1/1/approval/t",
    run=RunId("r1"),
    about=NoticeState.APPROVAL,
    severity=NoticeSeverity.WARNING,
    words=MemoryArtifacts().put("Run r1 \x1b[1mwaits\nTask: Do it."),
    status=NoticeStatus.DELIVERED,
    channels=("slack", "tui"),
    reason="",
    owed_at=MOMENT,
    ended_at=MOMENT + timedelta(seconds=1),
    is_current=True,
)
FAILED = replace(ROW, status=NoticeStatus.FAILED, reason="No channel \x1b[1mtook it.")
PARTLY = replace(ROW, reason="slack: It is gone.")


def test_an_alert_is_a_run_that_waits_and_was_told_to_the_board() -> None:
    alert = AlertView(
        run=RunId("r1"), severity=NoticeSeverity.WARNING, title="Run r1 waits", since=MOMENT
    )
    others = (
        replace(ROW, is_current=False),
        replace(ROW, channels=("slack",)),
        replace(ROW, status=NoticeStatus.OWED),
        replace(ROW, status=NoticeStatus.DROPPED),
    )
    assert find_alerts(records(*others, ROW)) == [alert]
    [erased] = find_alerts(records(replace(ROW, words=ArtifactHash("0" * 64))))
    assert erased.title == "[erased]"


def test_what_was_missed_counts_until_all_goes_well_again() -> None:
    owed = replace(ROW, status=NoticeStatus.OWED)
    lost = MissedView(
        run=RunId("r1"),
        reason="No channel took it.",
        at=MOMENT + timedelta(seconds=1),
        is_lost=True,
    )
    found = find_missed(records(owed, FAILED, PARTLY, ROW, FAILED))
    assert found == [lost, replace(lost, reason="slack: It is gone.", is_lost=False)]
    assert find_missed(records(ROW, FAILED)) == []
    assert find_missed(records(replace(FAILED, ended_at=None)))[0].at == MOMENT


def test_doctor_names_the_last_notice_that_was_missed() -> None:
    [lost] = _missed(records(FAILED, FAILED))
    assert lost.detail == "the last notice, of r1, reached nobody: No channel took it."
    assert not lost.is_obstacle
    [partly] = _missed(records(PARTLY))
    assert "reached not all channels: slack: It is gone." in partly.detail
    assert list(_missed(records(ROW))) == []
    assert list(_missed(None)) == []


class Own:
    """A user's config."""

    def __init__(self, *names: str, routed: tuple[str, ...] = ()) -> None:
        self._names = names
        self._routed = routed

    def policy(self) -> NoticePolicy:
        if not self._routed:
            return NO_NOTICES
        route = NoticeRoute(severity=NoticeSeverity.INFO, channels=self._routed)
        return NoticePolicy(routes={NoticeState.FAILED: route})

    def channels(self) -> Mapping[str, ChannelSetting]:
        return {name: ChannelSetting(name=name, kind=ChannelKind.BELL) for name in self._names}


class Checked(MemoryNotifier):
    """A notifier that can be asked beforehand."""

    def obstacle(self, name: str) -> str | None:
        return "It is gone." if name in self.broken else None


def channels(own: Own, *broken: str) -> Channels:
    return Channels(own=own, notifier=Checked(FakeClock(), broken=set(broken)), ids=FakeIds())


def sent(given: Channels) -> list[Notice]:
    assert isinstance(given.notifier, Checked)
    return given.notifier.notices


def check(given: Channels, name: str | None = None) -> tuple[Delivery, ...]:
    return asyncio.run(check_channels(given, name))


def test_all_channels_are_tried_that_the_user_has_or_is_told_through() -> None:
    given = channels(Own("slack", routed=("tui",)), "slack")
    assert [(it.channel, it.is_delivered) for it in check(given)] == [
        ("slack", False),
        ("tui", True),
    ]
    [notice] = sent(given)
    assert (notice.run, notice.severity) == (None, NoticeSeverity.INFO)


def test_one_channel_can_be_tried_also_one_that_needs_no_settings() -> None:
    given = channels(Own("slack"))
    assert [it.channel for it in check(given, "tui")] == ["tui"]
    with pytest.raises(NotFound, match="There is no channel 'slak'") as refused:
        check(given, "slak")
    assert refused.value.hint == "Did you mean 'slack'?"
    with pytest.raises(NotFound) as refused:
        check(given, "pigeon")
    assert refused.value.hint == "Channels: bell, desktop, slack, tui."


def test_where_there_is_no_channel_none_is_tried() -> None:
    with pytest.raises(NotFound, match="Your config has no channel"):
        check(channels(Own()))


def test_doctor_names_the_channels_and_what_is_missing_of_them() -> None:
    found: list[DoctorCheck] = list(_channels(channels(Own("mail", "slack"), "slack")))
    assert [(it.name, it.holds, it.detail) for it in found] == [
        ("notifications: mail", True, "ready"),
        ("notifications: slack", False, "It is gone."),
    ]
    assert not any(it.is_obstacle for it in found)
    assert list(_channels(None)) == []
