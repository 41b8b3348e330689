"""What `notifications:` of the user's config may say, and what no project may."""
# ruff: noqa: E501 - messages are one line

from datetime import time, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.layered import Layers

from supervisor_ai.definitions.consent.own_notifications import OwnNotifications
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.notices import NO_NOTICES, NoticeRoute, NoticeSeverity, NoticeState
from supervisor_ai.domain.quiet_hours import WEEK, QuietHours, QuietWindow
from supervisor_ai.engine.ports.notifications import ChannelKind, ChannelSetting

CONFIG = """\
notifications:
  channels:
    slack: {kind: apprise, url: "${SLACK_URL}"}
    hook: {kind: webhook, url: "https://example.org/in?to=me", secret: "${SECRET}", timeout: 3s}
    mine: {kind: command, command: tell-me --now, env: {TONE: "${TONE}"}}
  severities:
    info: [tui]
    warning: [slack, hook, slack]
    critical: [slack, bell]
  states:
    failed: critical
    budget: {channels: [mine]}
    approval: {severity: critical}
    blocked: {severity: info, channels: [mine, tui]}
    objection: {channels: []}
    completed: off
  quiet_hours:
    timezone: Europe/Berlin
    windows:
      - {from: "22:00", to: "7:30"}
      - {days: [sat, sunday], from: "00:00", to: "24:00"}
      - {days: weekdays, from: "12:00", to: "13:00"}
"""


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


def route(severity: NoticeSeverity, *channels: str) -> NoticeRoute:
    return NoticeRoute(severity=severity, channels=channels)


def test_states_have_the_channels_of_their_severity_or_their_own(layers: Layers) -> None:
    layers.user(CONFIG)
    assert OwnNotifications(layers.directory).policy().routes == {
        NoticeState.APPROVAL: route(NoticeSeverity.CRITICAL, "slack", "bell"),
        NoticeState.BLOCKED: route(NoticeSeverity.INFO, "mine", "tui"),
        NoticeState.BUDGET: route(NoticeSeverity.WARNING, "mine"),
        NoticeState.FAILED: route(NoticeSeverity.CRITICAL, "slack", "bell"),
        NoticeState.CANCELLED: route(NoticeSeverity.INFO, "tui"),
    }


def test_channels_are_kept_as_they_are_written(layers: Layers) -> None:
    layers.user(CONFIG)
    channels = OwnNotifications(layers.directory).channels()
    assert channels["hook"] == ChannelSetting(
        name="hook",
        kind=ChannelKind.WEBHOOK,
        url="https://example.org/in?to=me",
        secret="${SECRET}",
        timeout=timedelta(seconds=3),
    )
    assert channels["mine"].command == ("tell-me", "--now")
    assert channels["mine"].environment == {"TONE": "${TONE}"}
    assert channels["slack"].url == "${SLACK_URL}"


def test_quiet_hours_are_pinned_by_runs(layers: Layers) -> None:
    layers.user(CONFIG)
    quiet = QuietHours(
        windows=(
            QuietWindow(days=WEEK, start=time(22), end=time(7, 30)),
            QuietWindow(days=WEEK[5:], start=time(), end=time()),
            QuietWindow(days=WEEK[:5], start=time(12), end=time(13)),
        ),
        zone="Europe/Berlin",
    )
    assert layers.load().definition.quiet_hours == quiet
    assert OwnNotifications(layers.directory).policy().quiet_hours == quiet


@pytest.mark.parametrize("config", [None, "cli: claude\n", "notifications:\n"])
def test_who_says_nothing_hears_nothing(layers: Layers, config: str | None) -> None:
    if config is not None:
        layers.user(config)
    own = OwnNotifications(layers.directory)
    assert own.policy() == NO_NOTICES
    assert own.channels() == {}


def test_a_project_says_nothing_about_who_hears_of_runs(layers: Layers) -> None:
    found = layers.mistakes("notifications: {severities: {info: [tui]}}")
    assert found == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:2: notifications: says who hears of your runs, and by which programs and addresses; only your own config may do that\
""")


def test_every_mistake_is_told_with_its_place(layers: Layers) -> None:
    layers.user("""\
notifications:
  channels:
    a: {kind: pigeon}
    b: {kind: webhook, url: "http://example.org/in", secret: "${S}"}
    c: {kind: webhook, url: "https://example.org/in", secret: hunter2}
    d: {kind: apprise, url: "slack://token"}
    e: {kind: command}
    f: {kind: bell, url: "https://example.org"}
    g: {kind: desktop, timeout: 2m}
    h: {kind: webhook, url: "https://me:pw@example.org/in", secret: "${S}"}
  severities: {loud: [tui]}
  states:
    failed: urgent
    finished: info
  quiet_hours:
    windows:
      - {days: [someday], from: "22:00", to: "07:00"}
      - {from: 2200, to: "25:00"}
""")
    assert layers.mistakes() == snapshot("""\
The definitions have 14 mistakes:
  USER/config.yaml:3: notifications.channels.a.kind: must be 'tui', 'bell', 'desktop', 'command', 'webhook' or 'apprise', found 'pigeon'
  USER/config.yaml:4: notifications.channels.b: url must be an address such as https://example.org/hook; one without encryption needs `plain_http: true`
  USER/config.yaml:5: notifications.channels.c.secret: must take the secret from a variable, as ${NAME}; no secret belongs here
  USER/config.yaml:6: notifications.channels.d: must take the secret from a variable, as ${NAME}; no secret belongs here
  USER/config.yaml:7: notifications.channels.e: a channel of the kind 'command' needs 'command'
  USER/config.yaml:8: notifications.channels.f: a channel of the kind 'bell' has no 'url'
  USER/config.yaml:9: notifications.channels.g.timeout: must be more than nothing and at most 1m
  USER/config.yaml:10: notifications.channels.h: url must be an address such as https://example.org/hook; one without encryption needs `plain_http: true`
  USER/config.yaml:11: notifications.severities.loud: must be 'info', 'warning' or 'critical', found 'loud'
  USER/config.yaml:13: notifications.states.failed.severity: must be 'info', 'warning', 'critical' or 'off', found 'urgent'
  USER/config.yaml:14: notifications.states.finished: must be 'approval', 'objection', 'blocked', 'budget', 'failed', 'completed' or 'cancelled', found 'finished'
  USER/config.yaml:17: notifications.quiet_hours.windows[0].days: must be 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'weekdays', 'weekends' or 'daily', found 'someday'
  USER/config.yaml:18: notifications.quiet_hours.windows[1].from: must be a time such as "22:00", in quotes, found 2200
  USER/config.yaml:18: notifications.quiet_hours.windows[1].to: must be a time such as "22:00", in quotes, found '25:00'\
""")


def test_channels_that_nobody_knows_are_mistakes(layers: Layers) -> None:
    layers.user("""\
notifications:
  severities:
    warning: [tui, slack]
  states:
    failed: {channels: [desktpo]}
""")
    assert layers.mistakes() == snapshot("""\
The definitions have 2 mistakes:
  USER/config.yaml:3: notifications.severities.warning[1]: unknown channel 'slack' (known: bell, desktop, tui)
  USER/config.yaml:5: notifications.states.failed.channels[0]: unknown channel 'desktpo'; did you mean 'desktop'?\
""")


@pytest.mark.parametrize(
    ("quiet", "problem"),
    [
        ('{windows: [{from: "22:00", to: "07:00"}]}', "timezone: is missing"),
        (
            '{timezone: Europe/Atlantis, windows: [{from: "22:00", to: "07:00"}]}',
            "There is no time zone 'Europe/Atlantis' on this machine.",
        ),
        (
            '{timezone: UTC, windows: [{from: "08:00", to: "08:00"}]}',
            "The quiet hours leave 0:00:00 of a week, so that a wait might never end.",
        ),
    ],
)
def test_quiet_hours_without_a_zone_or_an_end_are_mistakes(
    layers: Layers, quiet: str, problem: str
) -> None:
    layers.user(f"notifications:\n  quiet_hours: {quiet}\n")
    assert "USER/config.yaml:2: notifications.quiet_hours" in layers.mistakes()
    assert problem in layers.mistakes()


def test_the_users_mistakes_are_raised_to_who_asks(layers: Layers) -> None:
    layers.user("notifications: {severities: {info: [fax]}}")
    with pytest.raises(InvalidInput, match="unknown channel 'fax'"):
        OwnNotifications(layers.directory).policy()
