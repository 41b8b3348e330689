"""The container engines as data, and a client that asks one of them."""

import asyncio
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from supervisor_ai.tools.programs import find_program

T = TypeVar("T")

LABEL: Final = "supervisor.label"
FENCE: Final = "supervisor.fence"
STATE: Final = "supervisor.state"

_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_VARIABLES: Final = (
    *("HOME", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
    *("DBUS_SESSION_BUS_ADDRESS", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"),
)
"""What a client needs to find its engine; it gets nothing else of our environment."""


class Engine(Struct, frozen=True, kw_only=True):
    """What differs between the engines."""

    name: str
    isolation: tuple[str, ...]
    """Options for a container that the other engine does not know or need."""
    own_user: tuple[str, ...]
    """Options that make the user of an ordinary supervisor the same one inside."""
    runtimes: tuple[tuple[str, ...], ...]
    """Ways to start containers, the first that works is taken."""
    listing: str
    """The template for one line about a container: name, fence and label."""
    packages: str


def _line(fence: str, label: str) -> str:
    return "\t".join(("{{.Names}}", fence, label))


PODMAN: Final = Engine(
    name="podman",
    isolation=(
        *("--read-only-tmpfs=false", "--passwd=false"),
        *("--security-opt", "mask=/proc/cmdline"),
    ),
    own_user=("--userns", "keep-id"),
    # On a machine with both versions of control groups, crun starts nothing.
    runtimes=((), ("--runtime", "runc")),
    listing=_line(f'{{{{index .Labels "{FENCE}"}}}}', f'{{{{index .Labels "{LABEL}"}}}}'),
    packages="podman runc uidmap",
)
DOCKER: Final = Engine(
    name="docker",
    isolation=(),
    own_user=(),
    runtimes=((),),
    listing=_line(f'{{{{.Label "{FENCE}"}}}}', f'{{{{.Label "{LABEL}"}}}}'),
    packages="docker.io",
)


class EngineAnswer(Struct, frozen=True, kw_only=True):
    """What a client said before it ended."""

    code: int
    text: str
    complaint: str

    @property
    def is_good(self) -> bool:
        """Tell whether the engine did what it was asked."""
        return self.code == 0


class Client:
    """Asks an engine; `options` say which one, before any other word."""

    def __init__(
        self,
        engine: Engine,
        *,
        environment: Mapping[str, str],
        executable: Path | None = None,
        options: Sequence[str] = (),
    ) -> None:
        found = find_program(engine.name, _SYSTEM_PATH)
        self.executable = executable or Path(found or f"/usr/bin/{engine.name}")
        self.options = tuple(options)
        known = {name: environment[name] for name in _VARIABLES if name in environment}
        self._environment = {"PATH": _SYSTEM_PATH, **known}

    async def ask(self, *words: str, given: bytes = b"", patience: float = 60) -> EngineAnswer:
        """Let the client finish, also when cancelled: half of what it does helps nobody."""
        return await see_through(lambda: self.ask_now(*words, given=given, patience=patience))

    def start(self, words: Sequence[str], errors: int) -> subprocess.Popen[bytes]:
        """Start a client that stays as long as its container; its complaints go into a file."""
        return subprocess.Popen(
            self._command(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=self._environment,
            cwd="/",
            # A key pressed at our terminal is our business, not the engine's.
            start_new_session=True,
        )

    def ask_now(self, *words: str, given: bytes = b"", patience: float = 60) -> EngineAnswer:
        """Ask from a thread that may wait."""
        try:
            done = subprocess.run(
                self._command(words),
                input=given,
                capture_output=True,
                env=self._environment,
                cwd="/",
                timeout=patience,
                check=False,
                start_new_session=True,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return EngineAnswer(code=-1, text="", complaint=str(error))
        return EngineAnswer(
            code=done.returncode, text=_text(done.stdout), complaint=_text(done.stderr)
        )

    def _command(self, words: Sequence[str]) -> list[str]:
        return [os.fspath(self.executable), *self.options, *words]


async def see_through(work: Callable[[], T]) -> T:
    """Do something in a thread to its end; a cancellation comes through only then."""
    interruption: asyncio.CancelledError | None = None
    # No task of the loop: who ends the loop cancels them all, and this has to be done even so.
    done = asyncio.get_running_loop().run_in_executor(None, work)
    while not done.done():
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError as error:
            interruption = error
    if interruption is not None:
        raise interruption
    return done.result()


def _text(said: bytes) -> str:
    return said.decode(errors="replace").strip()
