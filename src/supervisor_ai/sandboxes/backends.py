"""Which sandboxes there are."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.engine.ports.sandbox import Sandbox

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
    # Each is imported by who needs it: most commands start no sandbox at all.
    match name:
        case "bubblewrap":
            from supervisor_ai.sandboxes.bubblewrap import BubblewrapSandbox

            return BubblewrapSandbox(state=state, environment=environment)
        case "podman":
            from supervisor_ai.sandboxes.containers.sandbox import PodmanSandbox

            return PodmanSandbox(state=state, environment=environment)
        case "docker":
            from supervisor_ai.sandboxes.containers.sandbox import DockerSandbox

            return DockerSandbox(state=state, environment=environment)
        case _:
            raise InvalidInput(
                f"There is no sandbox {name!r}.", hint="Choose bubblewrap, podman or docker."
            )
