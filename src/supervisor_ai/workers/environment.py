"""The environment variables of a worker."""

import re
from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import MEMBERS
from supervisor_ai.engine.ports.workers import WorkerRequest

PLACEHOLDER: Final = "held-by-supervisor"
"""What an agent has instead of a key."""
DOOR: Final = "http://127.0.0.1:3128"
"""Where the broker listens inside a sandbox, for CLIs that no variable can tell."""
MEMBERS_URL: Final = "SUPERVISOR_MCP_URL"
"""The variable that says where a member of a session finds its tools."""
MEMBERS_TOKEN: Final = "SUPERVISOR_MCP_TOKEN"  # noqa: S105 - the variable's name
"""The variable that holds what its requests carry."""

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def worker_environment(request: WorkerRequest, user: Mapping[str, str]) -> dict[str, str]:
    """Join the workspace's, the configured and the attempt's own variables, the last on top."""
    broker = request.cli.broker
    return {
        **request.workspace.environment,
        **({broker.placeholder: PLACEHOLDER} if broker and broker.placeholder else {}),
        **{name: expand(request, value, user) for name, value in request.cli.environment.items()},
        "SUPERVISOR_RUN": request.run,
        "SUPERVISOR_STEP": request.step,
        "SUPERVISOR_ROLE": request.role,
        "SUPERVISOR_VISIT": str(request.visit),
        "SUPERVISOR_SLOT": str(request.slot),
        "SUPERVISOR_ATTEMPT": str(request.attempt),
        "SUPERVISOR_NONCE": request.nonce,
        **_membership(request),
    }


def _membership(request: WorkerRequest) -> dict[str, str]:
    if request.door is None:
        return {}
    return {MEMBERS_URL: f"{DOOR}{MEMBERS}", MEMBERS_TOKEN: request.door.token}


def names_in(value: str) -> tuple[str, ...]:
    """Name the user's variables that a value refers to."""
    return tuple(_REFERENCE.findall(value))


def expand(request: WorkerRequest, value: str, user: Mapping[str, str]) -> str:
    """Put the user's own variables in; the definition pins only their names."""

    def look_up(match: re.Match[str]) -> str:
        name = match[1]
        if name not in user:
            raise InvalidInput(
                f"The CLI {request.cli.name!r} needs the environment variable {name!r}, "
                "and it is not set.",
                # Who lacks something is not tried again until a person says so.
                hint="Set it, or log in where `supervisor login --status` offers it; then let the "
                f"worker try again: supervisor approve {request.run} --drive",
            )
        return user[name]

    return _REFERENCE.sub(look_up, value)
