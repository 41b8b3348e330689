"""Runs git; no other module starts it."""

import os
import re
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Final

from msgspec import Struct

from supervisor_ai.domain.errors import HostFailure, Unavailable
from supervisor_ai.domain.run.values import Identity
from supervisor_ai.tools.programs import find_program, search_path
from supervisor_ai.workspaces.files.disk_errors import TROUBLE

Argument = str | bytes | Path

_PATIENCE_SECONDS: Final = 1800
_COMPLAINT_LENGTH: Final = 600
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")

_HARMLESS: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "submodule.recurse=false",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgsign=false",
    "credential.helper=",
)
_SAME_EVERYWHERE: Final = (
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.quotePath=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
)
# In a batch, git ends well also where it could not put an object in its place.
_DURABLE: Final = ("core.fsync=loose-object,pack,pack-metadata,reference", "core.fsyncMethod=fsync")
_FLEETING: Final = ("core.fsync=none",)
_READABLE: Final = 0o022
_INHERITED: Final = -1
_ENVIRONMENT: Final = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_NO_CONFIGURATION: Final = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}
NO_ATTRIBUTES: Final = {"GIT_INDEX_FILE": "/nonexistent/index"}
"""Shows a change as it is: attributes in the user's index could say that code is no text."""
_MISSING_OBJECT: Final = (b"promisor remote", b"unable to read")
_OF_REMOTES: Final = (
    *("HOME", "SSH_AUTH_SOCK"),
    *("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"),
)
_OF_THE_USER: Final = (
    "HOME",
    "XDG_CONFIG_HOME",
    "SUDO_UID",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)


class GitReply(Struct, frozen=True, kw_only=True):
    """What git said."""

    code: int
    output: bytes
    complaint: bytes

    @property
    def text(self) -> str:
        """Return the output as one line of text."""
        return os.fsdecode(self.output.rstrip(b"\n"))

    @property
    def lines(self) -> list[str]:
        """Return the lines of the output; names may hold what ends a line for everybody but git."""
        return self.text.split("\n") if self.text else []

    def blames_the_disk(self) -> bool:
        """Tell whether the machine, not the content, made git fail."""
        return any(phrase.encode() in self.complaint for phrase in TROUBLE)


class Git(Struct, frozen=True, kw_only=True):
    """Git on one git directory, deaf to every configuration but that directory's own."""

    directory: Path
    work_tree: Path | None = None
    is_scratch: bool = False

    def ask(
        self,
        *arguments: Argument,
        stdin: bytes | IO[bytes] = b"",
        stdout: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
        patience: timedelta | None = None,
    ) -> GitReply:
        """Run git and return what it said, whatever that is.

        With a patience of its own, git is stopped with all that it started when it is at an end,
        and has said nothing.
        """
        place = _Place(
            self.work_tree or self.directory,
            {**_NO_CONFIGURATION, **(environment or {})},
            _READABLE if self.is_scratch else _INHERITED,
            patience,
        )
        return _execute([*self._command(), *arguments], place, stdin, stdout)

    def run(
        self,
        *arguments: Argument,
        stdin: bytes | IO[bytes] = b"",
        stdout: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> GitReply:
        """Run git; raise Unavailable unless it succeeds."""
        reply = self.ask(*arguments, stdin=stdin, stdout=stdout, environment=environment)
        if reply.code != 0:
            raise failure(arguments[0], self.directory, reply)
        return reply

    def _command(self) -> list[Argument]:
        care = _FLEETING if self.is_scratch else _DURABLE
        command: list[Argument] = [*_settings(_HARMLESS + _SAME_EVERYWHERE + care)]
        command.append(b"--git-dir=" + os.fsencode(self.directory))
        if self.work_tree is not None:
            command += ["-c", "core.bare=false"]
            command.append(b"--work-tree=" + os.fsencode(self.work_tree))
        return command


def ask_as_user(
    directory: Path,
    *arguments: Argument,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> GitReply:
    """Ask git what the user would be told there, with the user's configuration but no programs."""
    command: list[Argument] = [*_settings(_HARMLESS), "-C", directory]
    kept = {name: os.environ[name] for name in _OF_THE_USER if name in os.environ}
    place = _Place(Path("/"), {**kept, **(environment or {})})
    return _execute([*command, *arguments], place, stdin, None)


def user_path(name: str) -> Path | None:
    """Return a path of the user's own settings; asked where no repository has a say."""
    reply = ask_as_user(Path("/"), "config", "--type=path", "--get", name)
    path = Path(reply.text) if reply.code == 0 and reply.output else None
    return path if path is not None and path.is_absolute() else None


def run_for_packs(
    environment: Mapping[str, str], place: Path, arguments: tuple[str, ...], stdin: bytes
) -> bytes:
    """Run git in a scratch directory, with what it needs of the user's to reach a remote."""
    kept = {name: it for name, it in environment.items() if name in _OF_REMOTES}
    runner = Git(directory=place, is_scratch=True)
    return runner.run(*arguments, stdin=stdin, environment=kept).output


def is_tracked(work_tree: Path, path: str) -> bool:
    """Tell whether a commit may have put a path, or something below it, into a work tree."""
    reply = ask_as_user(work_tree, "--literal-pathspecs", "ls-files", "-z", "--", path)
    return reply.code != 0 or bool(reply.output)


def failure(verb: Argument, directory: Path, reply: GitReply) -> Unavailable:
    """Translate a failure of git."""
    complaint = printable(reply.complaint)
    asked = f"`git {printable(os.fsencode(verb))}` failed in {str(directory)!r}"
    for phrase, hint in TROUBLE.items():
        if phrase.encode() in reply.complaint:
            return HostFailure(f"{asked}: {complaint}", hint=hint)
    if any(phrase in reply.complaint for phrase in _MISSING_OBJECT):
        hint = "If this is a partial clone, fetch the rest: `git fetch --refetch --no-filter`."
        return Unavailable(f"{asked}: {complaint}", hint=hint)
    said = complaint or f"exit code {reply.code}"
    return Unavailable(f"{asked}: {said}", hint="If it fails again, check the disk and `git fsck`.")


def printable(text: bytes) -> str:
    """Make foreign bytes safe to show."""
    shown = _CONTROL.sub(" ", text.decode(errors="replace")).strip()
    return shown if len(shown) <= _COMPLAINT_LENGTH else f"{shown[:_COMPLAINT_LENGTH]}…"


class _Place(Struct, frozen=True):
    """Where a process runs and what surrounds it."""

    directory: Path
    environment: Mapping[str, str]
    umask: int = _INHERITED
    patience: timedelta | None = None


def _execute(
    arguments: list[Argument], place: _Place, stdin: bytes | IO[bytes], stdout: IO[bytes] | None
) -> GitReply:
    path = search_path(os.environ.get("PATH"))
    program = find_program("git", path)
    if program is None:
        raise _missing()
    limit = _PATIENCE_SECONDS if place.patience is None else place.patience.total_seconds()
    try:
        # A session of its own: Ctrl-C is for the supervisor, which lets git finish.
        with subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE if isinstance(stdin, bytes) else stdin,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            cwd=place.directory,
            env={"PATH": path, **_ENVIRONMENT, **place.environment},
            umask=place.umask,
            start_new_session=True,
        ) as process:
            output, complaint = _said(process, stdin if isinstance(stdin, bytes) else None, limit)
    except FileNotFoundError as error:
        raise _gone(place.directory) from error
    except subprocess.TimeoutExpired as error:
        if place.patience is not None:
            return GitReply(code=-1, output=b"", complaint=b"")
        raise Unavailable(f"Git did not end within {_PATIENCE_SECONDS} seconds.") from error
    return GitReply(code=process.returncode, output=output or b"", complaint=complaint)


def _said(
    process: subprocess.Popen[bytes], stdin: bytes | None, limit: float
) -> tuple[bytes, bytes]:
    try:
        return process.communicate(stdin, timeout=limit)
    except BaseException:
        # What git started holds its streams, and would be waited for.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise


def _gone(directory: Path) -> Unavailable:
    return _missing() if directory.exists() else Unavailable(f"{str(directory)!r} is gone.")


def _missing() -> Unavailable:
    return Unavailable(
        "The program 'git' was not found.",
        hint="Install git 2.38 or later and make sure that it is on the PATH; "
        "relative entries of it, and those inside the project, do not count.",
    )


def _settings(settings: tuple[str, ...]) -> list[str]:
    return [part for setting in settings for part in ("-c", setting)]


OURS: Final = Identity(name="Supervisor", email="supervisor@localhost")
_WORTHLESS: Final = "".join(map(chr, range(33))) + ".,:;<>\"\\'"


def signature(identity: Identity, at: datetime | None = None) -> Mapping[str, str]:
    """Return the environment in which git signs with this name, at this time."""
    signed = {}
    for role in ("AUTHOR", "COMMITTER"):
        signed[f"GIT_{role}_NAME"] = _worthy(identity.name) or OURS.name
        signed[f"GIT_{role}_EMAIL"] = _worthy(identity.email) or OURS.email
        if at is not None:
            signed[f"GIT_{role}_DATE"] = f"@{int(at.astimezone(UTC).timestamp())} +0000"
    return signed


def _worthy(text: str) -> str:
    """Leave out what git strips from names, and refuses if nothing else is left."""
    return text.replace("\0", "").strip(_WORTHLESS)


def commit_new_repository(directory: Path, *, author: str, message: str) -> None:
    """Commit all files of a directory as the first commit of a repository of its own."""
    (directory / ".git").mkdir()
    git = Git(directory=directory / ".git", work_tree=directory)
    git.run("init", "--quiet", "--initial-branch=main")
    git.run("add", "--all")
    identity = ("-c", f"user.name={author}", "-c", "user.email=demo@localhost")
    git.run(*identity, "commit", "--quiet", "--message", message)
