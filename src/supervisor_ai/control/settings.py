"""Settings of the environment: policy, state directory, the user's config directory."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from supervisor_ai.control.policy import Policy

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

        return user_state_path(_NAME)

    @property
    def user_directory(self) -> Path:
        """Return where the user's own definitions and agreements are."""
        if chosen := self.environment.get("SUPERVISOR_CONFIG"):
            return Path(chosen).absolute()
        from platformdirs import user_config_path

        usual, old = user_config_path(_NAME), Path.home() / ".supervisor"
        return old if old.is_dir() and not usual.is_dir() else usual
