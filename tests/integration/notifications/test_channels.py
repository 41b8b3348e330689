"""What channels do on a real machine: programs, a service on loopback, a terminal."""

import asyncio
import hmac
import json
import os
import pty
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from tests.integration.workers.api.service import Attendant, Service, whole

from supervisor_ai.domain.notices import NoticeSeverity
from supervisor_ai.engine.host import SystemClock
from supervisor_ai.engine.ports.notifications import (
    ChannelKind,
    ChannelSetting,
    Delivery,
    Notice,
)
from supervisor_ai.notifications.channel import ChannelSurroundings
from supervisor_ai.notifications.notifier import ChannelNotifier
from supervisor_ai.testing.notifier_suite import a_notice
from supervisor_ai.workers.api.poster import HttpPoster

SECRET = "a-secret-of-the-user"
ENVIRONMENT = {
    "PATH": os.defpath,
    "HOME": "/home/ada",
    "ANTHROPIC_API_KEY": "sk-ant-canary",
    "SECRET": SECRET,
    "TOKEN": "token-of-the-user",
}


def notifier(*settings: ChannelSetting, **environment: str) -> ChannelNotifier:
    around = ChannelSurroundings(environment={**ENVIRONMENT, **environment}, poster=HttpPoster())
    return ChannelNotifier(lambda: {it.name: it for it in settings}, around, SystemClock())


def deliver(setting: ChannelSetting, notice: Notice | None = None, **environment: str) -> Delivery:
    told = notifier(setting, **environment).deliver(notice or a_notice(setting.name))
    [delivery] = asyncio.run(told)
    return delivery


def command(*words: str, **settings: object) -> ChannelSetting:
    return ChannelSetting(name="mine", kind=ChannelKind.COMMAND, command=words, **settings)  # type: ignore[arg-type]


def shell(script: str, **settings: object) -> ChannelSetting:
    return command("sh", "-c", script, **settings)


def test_a_command_gets_the_notice_on_stdin_and_in_its_environment(tmp_path: Path) -> None:
    place = tmp_path / "told"
    script = f"cat > {place}.json; env -0 > {place}.env; pwd > {place}.cwd"
    told = deliver(shell(script, environment={"TOKEN": "${TOKEN}", "TONE": "soft"}))
    assert told.is_delivered, told.detail
    notice = a_notice("mine")
    assert json.loads(Path(f"{place}.json").read_text()) == {
        "key": notice.key,
        "run": "r1",
        "severity": "warning",
        "title": notice.title,
        "body": notice.body,
    }
    pairs = Path(f"{place}.env").read_text().split("\0")
    environment = dict(pair.split("=", 1) for pair in pairs if pair)
    assert environment["SUPERVISOR_NOTICE_TITLE"] == notice.title
    assert environment["SUPERVISOR_NOTICE_BODY"] == notice.body
    assert (environment["TOKEN"], environment["TONE"]) == ("token-of-the-user", "soft")
    assert environment["HOME"] == "/home/ada"
    assert "ANTHROPIC_API_KEY" not in environment
    assert Path(f"{place}.cwd").read_text() == "/\n"


def test_a_command_that_fails_says_its_code_and_nothing_that_it_printed() -> None:
    told = deliver(shell("echo secret >&2; exit 3"))
    assert (told.is_delivered, told.detail) == (False, "'sh' ended with code 3.")


def test_a_command_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    program = tmp_path / "odd"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    assert deliver(command("no-such")).detail == "There is no program 'no-such'."
    assert deliver(command("./tell")).detail == "There is no program './tell'."
    told = deliver(command(str(program)))
    assert told.detail == f"'{program}' cannot be started: No such file or directory."


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    script = f"sleep 1000 & echo $! > {place}; wait"
    told = deliver(shell(script, timeout=timedelta(seconds=0.7)))
    assert told.detail == "It took longer than its time-out allows."
    with suppress(ProcessLookupError):
        _wait_for_end(int(place.read_text()))


def _wait_for_end(process: int) -> None:
    """Wait until nobody but its parent knows of the process any more."""
    while "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:1]:
        os.kill(process, 0)


def test_a_variable_that_is_missing_is_named() -> None:
    told = deliver(command("true", environment={"A": "${NOBODY_HAS_IT}"}))
    assert told.detail == "The variable NOBODY_HAS_IT is not set."


def webhook(url: str, **settings: object) -> ChannelSetting:
    return ChannelSetting(
        name="hook",
        kind=ChannelKind.WEBHOOK,
        url=url,
        secret="${SECRET}",
        **settings,  # type: ignore[arg-type]
    )


def test_a_webhook_is_signed_over_its_time_and_body() -> None:
    with Service(whole({})) as service:
        told = deliver(webhook(f"{service.url}/in?to=me"))
    assert told.detail == "127.0.0.1 took it."
    [asked] = service.asked
    assert asked.path == "/in?to=me"
    notice = a_notice("hook")
    assert asked.body["title"] == notice.title
    assert asked.headers["x-supervisor-key"] == notice.key
    body = json.dumps(asked.body, ensure_ascii=False, sort_keys=True).encode()
    signed = asked.headers["x-supervisor-timestamp"].encode() + b"." + body
    expected = hmac.new(SECRET.encode(), signed, sha256).hexdigest()
    assert asked.headers["x-supervisor-signature"] == f"sha256={expected}"
    assert SECRET not in json.dumps([asked.headers, asked.body])


def test_a_webhook_follows_nobody_elsewhere() -> None:
    with Service(whole({})) as other:
        away = whole({}, status=307, headers={"Location": other.url})
        with Service(away) as service:
            told = deliver(webhook(f"{service.url}/in"))
    assert told.detail == "127.0.0.1 answered with status 307."
    assert other.asked == []


def hangs(attendant: Attendant) -> None:
    attendant.wait_for_leave()


def breaks_off(attendant: Attendant) -> None:
    attendant.connection.close()


def babbles(attendant: Attendant) -> None:
    attendant.wfile.write(b"\x1b[31mhello\r\n\r\n")


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (breaks_off, "127.0.0.1 gave no answer that can be understood."),
        (babbles, "127.0.0.1 gave no answer that can be understood."),
        (hangs, "It took longer than its time-out allows."),
    ],
)
def test_a_webhook_that_does_not_answer_as_it_should_is_bounded(
    answer: Callable[[Attendant], None], detail: str
) -> None:
    with Service(answer) as service:
        told = deliver(webhook(f"{service.url}/in", timeout=timedelta(seconds=1)))
        assert (told.is_delivered, told.detail) == (False, detail)


def test_a_webhook_that_nobody_listens_at_shows_no_address() -> None:
    with Service(whole({})) as service:
        url = f"{service.url}/secret-path"
    told = deliver(webhook(url))
    assert told.detail.startswith("127.0.0.1 cannot be reached: ")
    assert "secret-path" not in told.detail


def test_a_webhook_needs_encryption_unless_the_user_says_otherwise() -> None:
    told = deliver(webhook("http://hooks.example.org/in"))
    assert told.detail == "http://hooks.example.org is no https address."


def test_apprise_is_given_title_body_and_kind() -> None:
    with Service(whole({})) as service:
        setting = ChannelSetting(name="chat", kind=ChannelKind.APPRISE, url="${CHAT_URL}")
        notice = a_notice("chat", severity=NoticeSeverity.CRITICAL)
        url = f"json://127.0.0.1:{service.port}/in"
        told = deliver(setting, notice, CHAT_URL=url)
    assert told.is_delivered, told.detail
    [asked] = service.asked
    assert (asked.body["title"], asked.body["type"]) == (notice.title, "failure")
    assert "<better>" in asked.body["message"]


def test_an_address_that_apprise_does_not_understand_is_not_shown(
    capfd: pytest.CaptureFixture[str],
) -> None:
    setting = ChannelSetting(name="chat", kind=ChannelKind.APPRISE, url="${CHAT_URL}")
    told = deliver(setting, CHAT_URL="nonsense-secret")
    assert told.detail == "Apprise does not understand the address."
    assert capfd.readouterr() == ("", "")


def test_the_desktop_is_given_urgency_and_text_without_markup(tmp_path: Path) -> None:
    program, place = tmp_path / "notify-send", tmp_path / "shown"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {place}\n')
    program.chmod(0o755)
    setting = ChannelSetting(name="desktop", kind=ChannelKind.DESKTOP)
    told = deliver(setting, PATH=f"{tmp_path}:{os.defpath}")
    assert told.is_delivered, told.detail
    lines = place.read_text().splitlines()
    assert lines[:3] == ["--app-name=supervisor", "--urgency=normal", "--"]
    assert lines[3] == a_notice().title
    assert lines[4] == "Task: Größer &amp; &lt;better&gt;"


def test_the_bell_rings_only_where_somebody_watches() -> None:
    setting = ChannelSetting(name="bell", kind=ChannelKind.BELL)
    assert deliver(setting).detail == "This process has no terminal."
    controller, terminal = pty.openpty()
    with os.fdopen(terminal, "w") as stream:
        around = ChannelSurroundings(environment={}, poster=HttpPoster(), terminal=stream)
        ringing = ChannelNotifier(dict, around, SystemClock())
        [told] = asyncio.run(ringing.deliver(a_notice("bell")))
        assert told.is_delivered
        assert os.read(controller, 10) == b"\a"
    os.close(controller)


def test_a_bug_of_a_channel_is_told_and_stops_nobody() -> None:
    class Broken:
        async def post(self, message: object) -> int:
            raise RuntimeError(message)

    around = ChannelSurroundings(environment=ENVIRONMENT, poster=Broken())
    setting = webhook("https://example.org/in")
    broken = ChannelNotifier(lambda: {"hook": setting}, around, SystemClock())
    [told] = asyncio.run(broken.deliver(a_notice("hook")))
    assert (told.is_delivered, told.detail) == (False, "It failed: RuntimeError.")


@pytest.mark.parametrize(
    ("setting", "obstacle"),
    [
        (ChannelSetting(name="a", kind=ChannelKind.TUI), None),
        (ChannelSetting(name="a", kind=ChannelKind.BELL), None),
        (ChannelSetting(name="a", kind=ChannelKind.DESKTOP), "There is no program 'notify-send'."),
        (command("sh"), None),
        (command("no-such"), "There is no program 'no-such'."),
        (command("sh", environment={"A": "${B}"}), "The variable B is not set."),
        (webhook("https://example.org/${TOKEN}"), None),
        (webhook("https://example.org/${GONE}"), "The variable GONE is not set."),
        (ChannelSetting(name="a", kind=ChannelKind.APPRISE, url="${TOKEN}"), None),
        (
            ChannelSetting(name="a", kind=ChannelKind.APPRISE, url="${GONE}"),
            "The variable GONE is not set.",
        ),
    ],
)
def test_what_is_missing_can_be_seen_without_a_try(
    setting: ChannelSetting, obstacle: str | None
) -> None:
    assert notifier(setting, PATH="/bin").obstacle(setting.name) == obstacle
    assert notifier().obstacle("fax") == "Your config has no channel 'fax'."
