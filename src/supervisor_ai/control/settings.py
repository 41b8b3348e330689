"""Settings of the environment: trust, which sandboxes are allowed, and where things are kept."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Denied, Unavailable
from supervisor_ai.domain.run.definition import Definition

_NAME: Final = "supervisor"
_ROOT_STATE: Final = Path("/var/lib/supervisor")


AUTO: Final = "auto"
BACKENDS: Final = ("bubblewrap", "podman", "docker")
"""The sandboxes that `auto` tries, in this order."""
SANDBOX: Final = BACKENDS[0]
NO_SANDBOX: Final = "none"

_APPROVE_EVERYTHING: Final = frozenset(
    {
        "--allow-dangerously-skip-permissions",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-skip-permissions",
        "--full-auto",
        "--yolo",
    }
)
_APPROVING_MODES: Final = frozenset({"bypassPermissions", "danger-full-access", "yolo"})


class Policy(Struct, frozen=True, kw_only=True):
    """The exceptions that a user made, for this call only."""

    trusts_everything: bool = False
    allows_unsandboxed: bool = False

    def permit_sandbox(self, name: str) -> None:
        """Refuse to go on without a sandbox where the user did not allow that."""
        if name == NO_SANDBOX and not self.allows_unsandboxed:
            raise Denied(
                "Workers and gates may not run without a sandbox here.",
                hint="If you accept that an agent can then do whatever you can, "
                "set SUPERVISOR_ALLOW_UNSANDBOXED=1.",
            )


def refuse_blank_cheques(definition: Definition, sandbox: str) -> None:
    """Refuse agents that approve everything they want to do, where no sandbox holds them."""
    if sandbox != NO_SANDBOX:
        return
    for cli in definition.clis.values():
        flags = (word for role in definition.roles.values() for word in role.flags_of(cli.adapter))
        found = next(filter(_approves_everything, (*cli.command, *flags)), None)
        if found is not None:
            raise Denied(
                f"The agent {cli.name!r} approves whatever it wants to do ({found}), and without a"
                " sandbox nothing would hold it.",
                hint="Leave `--sandbox none` out, or leave that flag out.",
            )


def _approves_everything(word: str) -> bool:
    option, _, value = word.rpartition("=")
    return word in _APPROVE_EVERYTHING or option in _APPROVE_EVERYTHING or value in _APPROVING_MODES


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
