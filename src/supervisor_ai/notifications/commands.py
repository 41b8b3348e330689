"""Channels that are programs: one of the user's own, and the desktop's."""

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from tempfile import TemporaryFile
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.notices import NoticeSeverity
from supervisor_ai.engine.ports.notifications import ChannelSetting, Notice
from supervisor_ai.notifications.channel import ChannelSurroundings, NotDelivered
from supervisor_ai.tools.programs import find_program, search_path

_PASSED: Final = re.compile(
    r"HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS"
    r"|XDG_(CONFIG|DATA|STATE|CACHE)_HOME|XDG_RUNTIME_DIR|SSL_CERT_(FILE|DIR)"
    r"|(?i:(http|https|all|no)_proxy)"
)
"""What of the user's environment a program gets: no key of an agent is among it."""
_URGENCIES: Final = {
    NoticeSeverity.INFO: "low",
    NoticeSeverity.WARNING: "normal",
    NoticeSeverity.CRITICAL: "critical",
}
_NOTIFY_SEND: Final = "notify-send"
_MARKUP: Final = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def notice_json(notice: Notice) -> str:
    """Write a notice for a program."""
    told = {
        "key": notice.key,
        "run": notice.run,
        "severity": notice.severity.value,
        "title": notice.title,
        "body": notice.body,
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True)


class CommandChannel(Struct, frozen=True, kw_only=True):
    """Starts a program of the user's; the notice is on its stdin and in its environment."""

    setting: ChannelSetting
    around: ChannelSurroundings

    def require(self) -> None:
        """Look for the program and its variables."""
        _program(self.setting.command[0], self.around.environment)
        for value in self.setting.environment.values():
            self.around.filled(value)

    async def send(self, notice: Notice) -> str:
        """Run the program to its end."""
        own = {
            "SUPERVISOR_NOTICE_KEY": notice.key,
            "SUPERVISOR_NOTICE_RUN": notice.run or "",
            "SUPERVISOR_NOTICE_SEVERITY": notice.severity.value,
            "SUPERVISOR_NOTICE_TITLE": notice.title,
            "SUPERVISOR_NOTICE_BODY": notice.body,
        }
        given = {name: self.around.filled(it) for name, it in self.setting.environment.items()}
        start = ProgramStart(
            command=self.setting.command,
            stdin=notice_json(notice),
            environment={**_surroundings(self.around), **given, **own},
        )
        await run_program(start)
        return "The command took it."


class DesktopChannel(Struct, frozen=True, kw_only=True):
    """Shows it on the desktop of the user's session, with `notify-send`."""

    around: ChannelSurroundings

    def require(self) -> None:
        """Look for the program."""
        _program(_NOTIFY_SEND, self.around.environment)

    async def send(self, notice: Notice) -> str:
        """Show the notice."""
        urgency = f"--urgency={_URGENCIES[notice.severity]}"
        words = (notice.title, notice.body.translate(_MARKUP))
        start = ProgramStart(
            command=(_NOTIFY_SEND, "--app-name=supervisor", urgency, "--", *words),
            environment=_surroundings(self.around),
        )
        await run_program(start)
        return "The desktop shows it."


class ProgramStart(Struct, frozen=True, kw_only=True):
    """A program that is run to its end."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    stdin: str = ""


async def run_program(start: ProgramStart) -> None:
    """Run a program; who cancels it ends it, with all that it started."""
    process = _started(start)
    waiting = asyncio.ensure_future(asyncio.to_thread(process.wait))
    try:
        code = await asyncio.shield(waiting)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await waiting
    if code != 0:
        raise NotDelivered(f"{start.command[0]!r} ended with code {code}.")


def _program(name: str, environment: Mapping[str, str]) -> str:
    found = find_program(name, environment.get("PATH"))
    if found is None:
        raise NotDelivered(f"There is no program {name!r}.")
    return found


def _started(start: ProgramStart) -> subprocess.Popen[bytes]:
    """Start it with its input in a file: no pipe that it could leave unread, or keep open."""
    name = start.command[0]
    program = _program(name, start.environment)
    with TemporaryFile() as stdin:
        stdin.write(start.stdin.encode(errors="replace"))
        stdin.seek(0)
        try:
            return subprocess.Popen(
                (program, *start.command[1:]),
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=start.environment,
                start_new_session=True,
            )
        except OSError as error:
            raise NotDelivered(f"{name!r} cannot be started: {error.strerror}.") from None


def _surroundings(around: ChannelSurroundings) -> dict[str, str]:
    passed = {name: it for name, it in around.environment.items() if _PASSED.fullmatch(name)}
    return {**passed, "PATH": search_path(around.environment.get("PATH"))}
