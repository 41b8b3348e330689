"""Policy of the user's environment: trust, and which sandboxes are allowed."""

from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.run.definition import Definition

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
