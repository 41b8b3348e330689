"""What every notifier must do, as tests that a subclass for pytest runs.

The subclass gives each test its `notifier` with two channels, `works` and `broken`, as an autouse
fixture does.
"""
# ruff: noqa: D102, S101 - a test's name is its sentence; it asserts

import asyncio
from datetime import timedelta

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.notices import NoticeSeverity
from supervisor_ai.engine.ports.notifications import Delivery, Notice, Notifier

LONGEST = 300


def a_notice(*channels: str, severity: NoticeSeverity = NoticeSeverity.WARNING) -> Notice:
    """Make a notice for channels."""
    return Notice(
        key="r1/ask/1/1/approval/0123456789ab",
        run=RunId("r1"),
        severity=severity,
        title="Run r1 waits for an approval",
        body="Task: Größer & <better>\nLook at it: supervisor diff r1",
        channels=channels,
    )


class NotifierSuite:
    """Delivers to all channels, and tells what came of each."""

    notifier: Notifier

    def deliver(self, *channels: str) -> tuple[Delivery, ...]:
        return asyncio.run(self.notifier.deliver(a_notice(*channels)))

    def test_a_channel_that_works_takes_it(self) -> None:
        [told] = self.deliver("works")
        assert (told.channel, told.is_delivered) == ("works", True)
        assert told.at.utcoffset() == timedelta()

    def test_a_channel_that_does_not_work_is_told_and_not_raised(self) -> None:
        [told] = self.deliver("broken")
        assert (told.channel, told.is_delivered) == ("broken", False)

    def test_a_channel_that_nobody_knows_is_told_and_not_raised(self) -> None:
        [told] = self.deliver("pigeon")
        assert (told.channel, told.is_delivered) == ("pigeon", False)
        assert "'pigeon'" in told.detail

    def test_one_channel_stands_in_no_other_ones_way(self) -> None:
        told = self.deliver("broken", "works", "pigeon")
        assert [it.channel for it in told] == ["broken", "works", "pigeon"]
        assert [it.is_delivered for it in told] == [False, True, False]

    def test_without_channels_nothing_is_delivered(self) -> None:
        assert self.deliver() == ()

    def test_what_happened_is_told_in_one_short_plain_sentence(self) -> None:
        for told in self.deliver("works", "broken", "pigeon"):
            assert told.detail.endswith(".")
            assert told.detail.isprintable()
            assert len(told.detail) <= LONGEST
