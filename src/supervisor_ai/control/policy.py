"""What the user's environment allows."""

from dataclasses import dataclass
from typing import Final

from supervisor_ai.domain.errors import Denied

AUTO: Final = "auto"
BACKENDS: Final = ("bubblewrap", "podman", "docker")
"""The sandboxes that `auto` tries, in this order."""
SANDBOX: Final = BACKENDS[0]
NO_SANDBOX: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
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
