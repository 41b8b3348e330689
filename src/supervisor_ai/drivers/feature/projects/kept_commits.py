"""Commits that are on no branch yet, kept so that they do not go."""

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.effects import PlacedEffect
from supervisor_ai.engine.world import Operation


async def keep_commit(operation: Operation, commit: CommitSha, effect: PlacedEffect) -> None:
    """Let a ref of ours keep what a visit to a step has made."""
    ref = f"refs/supervisor/{operation.run}/{effect.step}/{effect.visit}.merge"
    await operation.world.workspaces.keep(commit, ref=ref)
