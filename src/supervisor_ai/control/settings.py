"""Settings of the environment: policy, state directory, the user's config directory."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from supervisor_ai.control.policy import Policy
from supervisor_ai.domain.errors import Unavailable

_NAME: Final = "supervisor"
_ROOT_STATE: Final = Path("/var/lib/supervisor")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """What the environment says, read once."""

    environment: Mapping[str, str]
    policy: Policy
    user: str
    redaction_key: bytes = field(repr=False)
    """Tags equal secrets alike while this process lives; from chance, and kept nowhere."""

    @property
    def state(self) -> Path:
        """Return where workspaces and sandboxes keep their files, outside every repository."""
        if chosen := self.environment.get("SUPERVISOR_STATE"):
            return Path(chosen).absolute()
        if os.geteuid() == 0:
            return _ROOT_STATE
        from platformdirs import user_state_path

        return place_of_user(user_state_path)

    @property
    def known_state(self) -> tuple[Path, ...]:
        """Return that place, or nothing where nobody knows it; then there is nothing in it."""
        try:
            return (self.state,)
        except Unavailable:
            return ()

    @property
    def user_directory(self) -> Path:
        """Return where the user's own definitions and agreements are."""
        if chosen := self.environment.get("SUPERVISOR_CONFIG"):
            return Path(chosen).absolute()
        from platformdirs import user_config_path

        usual = place_of_user(user_config_path)
        old = Path.home() / ".supervisor"
        return old if old.is_dir() and not usual.is_dir() else usual


def place_of_user(path_of: Callable[[str], Path]) -> Path:
    """Ask for a place of the user's, which nobody knows where there is no home."""
    try:
        return path_of(_NAME)
    except RuntimeError as error:
        raise Unavailable(
            f"The user {os.getuid()} has no home directory in which {_NAME!r} could be.",
            hint="Set HOME, or name directories with SUPERVISOR_STATE and SUPERVISOR_CONFIG.",
        ) from error
