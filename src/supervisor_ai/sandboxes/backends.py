"""The sandbox backends by name: bubblewrap, podman and docker."""

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.engine.ports.sandbox import Sandbox


class Backend(Struct, frozen=True, kw_only=True):
    """A sandbox that can be chosen, and the class that makes it."""

    name: str
    module: str
    made_by: str

    def make(self, state: Path, environment: Mapping[str, str]) -> Sandbox:
        """Make it; only now is it imported, since most commands start no sandbox at all."""
        module = import_module(f"supervisor_ai.sandboxes.{self.module}")
        sandbox: Sandbox = getattr(module, self.made_by)(state=state, environment=environment)
        return sandbox


BACKENDS: Final = (
    Backend(name="bubblewrap", module="bwrap.sandbox", made_by="BubblewrapSandbox"),
    Backend(name="podman", module="containers.sandbox", made_by="PodmanSandbox"),
    Backend(name="docker", module="containers.sandbox", made_by="DockerSandbox"),
)
_ELSEWHERE: Final = {
    "darwin": "Use Linux, in a virtual machine for example; a sandbox for macOS is an experiment.",
    "win32": "Use Linux in WSL 2: wsl --install",
}


def make_sandbox(
    name: str, *, state: Path, environment: Mapping[str, str], platform: str = sys.platform
) -> Sandbox:
    """Make the sandbox of that name; nothing is tried yet."""
    if platform != "linux":
        raise Unavailable(
            f"The sandbox {name!r} works on Linux, and this system is {platform!r}.",
            hint=_ELSEWHERE.get(platform, "Use Linux."),
        )
    for backend in BACKENDS:
        if backend.name == name:
            return backend.make(state, environment)
    *others, last = (backend.name for backend in BACKENDS)
    raise InvalidInput(
        f"There is no sandbox {name!r}.", hint=f"Choose {', '.join(others)} or {last}."
    )
