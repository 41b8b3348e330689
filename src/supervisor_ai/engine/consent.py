"""No run acts on a definition that the user did not agree to here."""

from supervisor_ai.domain.errors import Denied
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.run.inbox_commands import Cancel
from supervisor_ai.domain.run.run import Run
from supervisor_ai.engine.pinned import pinned_powers
from supervisor_ai.engine.ports.consent import PinnedPower
from supervisor_ai.engine.world import World


def require_consent(world: World, run: Run) -> None:
    """Refuse to drive a run that pinned what the user did not agree to."""
    missing = unagreed(world, run, run.definition)
    if missing:
        keys = ", ".join(power.key for power in missing)
        raise Denied(
            f"You have not agreed to what run {run.id!r} was started with: {keys}.",
            hint="Look at it and agree, if you do: supervisor trust",
        )


def unagreed(world: World, run: Run, definition: ArtifactHash) -> tuple[PinnedPower, ...]:
    """Return what a run under a definition may do and the user did not agree to."""
    document = world.artifacts.get(definition)
    return world.consent.missing(pinned_powers(document, sandbox=run.birth.sandbox))


def is_cancelled(world: World, run: RunId) -> bool:
    """Tell whether the next drive can only end the run, whatever it pinned."""
    return any(isinstance(letter.command, Cancel) for letter in world.inbox.pending(run))
