"""Every kind of channel, and the fake, through the same suite."""

import os
import pty
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.integration.workers.api.service import Service, whole

from supervisor_ai.engine.host import SystemClock
from supervisor_ai.engine.ports.notifications import ChannelKind, ChannelSetting
from supervisor_ai.notifications.channel import ChannelSurroundings
from supervisor_ai.notifications.notifier import ChannelNotifier
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.fake_notifier import MemoryNotifier
from supervisor_ai.testing.notifier_suite import NotifierSuite
from supervisor_ai.workers.api.poster import HttpPoster


def notifier(
    *settings: ChannelSetting, environment: Mapping[str, str] | None = None
) -> ChannelNotifier:
    around = ChannelSurroundings(
        environment={"PATH": os.defpath, **(environment or {})}, poster=HttpPoster()
    )
    return ChannelNotifier(lambda: {it.name: it for it in settings}, around, SystemClock())


class TestMemoryNotifier(NotifierSuite):
    @pytest.fixture(autouse=True)
    def make_notifier(self) -> None:
        self.notifier = MemoryNotifier(
            FakeClock(), known=frozenset({"works", "broken"}), broken={"broken"}
        )


class TestCommandChannel(NotifierSuite):
    @pytest.fixture(autouse=True)
    def make_notifier(self) -> None:
        works = ChannelSetting(name="works", kind=ChannelKind.COMMAND, command=("true",))
        broken = ChannelSetting(name="broken", kind=ChannelKind.COMMAND, command=("false",))
        self.notifier = notifier(works, broken)


class TestWebhookChannel(NotifierSuite):
    @pytest.fixture(autouse=True)
    def make_notifier(self) -> Iterator[None]:
        kind, secret = ChannelKind.WEBHOOK, "${SECRET}"
        with Service(whole({})) as yes, Service(whole({}, status=500)) as no:
            works = ChannelSetting(name="works", kind=kind, url=f"{yes.url}/in", secret=secret)
            broken = ChannelSetting(name="broken", kind=kind, url=f"{no.url}/in", secret=secret)
            self.notifier = notifier(works, broken, environment={"SECRET": "hush"})
            yield


class TestAppriseChannel(NotifierSuite):
    @pytest.fixture(autouse=True)
    def make_notifier(self) -> Iterator[None]:
        with Service(whole({})) as yes, Service(whole({}, status=500)) as no:
            urls = {
                "WORKS": yes.url.replace("http", "json"),
                "BROKEN": no.url.replace("http", "json"),
            }
            settings = (
                ChannelSetting(name=name.lower(), kind=ChannelKind.APPRISE, url=f"${{{name}}}/in")
                for name in urls
            )
            self.notifier = notifier(*settings, environment=urls)
            yield


class TestDesktopChannel(NotifierSuite):
    @pytest.fixture(autouse=True)
    def make_notifier(self, tmp_path: Path) -> None:
        program = tmp_path / "notify-send"
        program.write_text("#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
        works = ChannelSetting(name="works", kind=ChannelKind.DESKTOP)
        broken = ChannelSetting(name="broken", kind=ChannelKind.COMMAND, command=("no-such",))
        self.notifier = notifier(works, broken, environment={"PATH": f"{tmp_path}:{os.defpath}"})


class TestBellAndBoard(NotifierSuite):
    @pytest.fixture(autouse=True)
    def make_notifier(self) -> Iterator[None]:
        controller, terminal = pty.openpty()
        works = ChannelSetting(name="works", kind=ChannelKind.BELL)
        broken = ChannelSetting(name="broken", kind=ChannelKind.COMMAND, command=("no-such",))
        with os.fdopen(terminal, "w") as stream:
            around = ChannelSurroundings(
                environment={"PATH": os.defpath}, poster=HttpPoster(), terminal=stream
            )
            known = {it.name: it for it in (works, broken)}
            self.notifier = ChannelNotifier(lambda: known, around, SystemClock())
            yield
        os.close(controller)

    def test_the_board_takes_everything(self) -> None:
        [told] = self.deliver("tui")
        assert told.is_delivered
