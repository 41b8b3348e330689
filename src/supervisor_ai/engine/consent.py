"""No run acts on a definition that the user did not agree to here."""

from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.run.letters import Cancel
from supervisor_ai.engine.pinned import pinned_powers
from supervisor_ai.engine.ports.consent import PinnedPower
from supervisor_ai.engine.world import World


def require_consent(world: World, run: RunId, definition: ArtifactHash) -> None:
    """Refuse to drive a run whose pinned definition asks for what the user did not agree to."""
    missing = unagreed(world, definition)
    if missing:
        keys = ", ".join(power.key for power in missing)
        raise Denied(
            f"You have not agreed to what run {run!r} was started with: {keys}.",
            hint="Look at it and agree, if you do: supervisor trust",
        )


def unagreed(world: World, definition: ArtifactHash) -> tuple[PinnedPower, ...]:
    """Return what a pinned definition asks and the user did not agree to."""
    return world.consent.missing(pinned_powers(world.artifacts.get(definition)))


def is_cancelled(world: World, run: RunId) -> bool:
    """Tell whether the next drive can only end the run, whatever it pinned."""
    return any(isinstance(letter.command, Cancel) for letter in world.inbox.pending(run))
