"""What the config files say together about sandboxes and workspaces."""

from supervisor_ai.definitions.config.merged import MergedConfig, over
from supervisor_ai.definitions.schema import hosts
from supervisor_ai.definitions.schema.sandboxes import BrokerShape, SandboxShape, WorkspaceShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.domain.run.definition import (
    EXECUTOR_LIMITS,
    WORKER_LIMITS,
    Broker,
    SandboxPolicy,
    WorkspacePolicy,
)
from supervisor_ai.domain.structs import replace


def sandbox_of(shape: SandboxShape) -> SandboxPolicy:
    """Make the policy of sandboxes."""
    return replace(
        over(SandboxPolicy(), shape),
        worker=over(WORKER_LIMITS, shape.limits.worker),
        executor=over(EXECUTOR_LIMITS, shape.limits.executor),
    )


def workspace_of(shape: WorkspaceShape) -> WorkspacePolicy:
    """Make the policy of workspaces."""
    return replace(
        over(WorkspacePolicy(), shape),
        cache_key=tuple(shape.cache.key) if shape.cache else (),
        cache_paths=tuple(shape.cache.paths) if shape.cache else (),
    )


def broker_of(shape: BrokerShape) -> Broker:
    """Make the way to an agent's model."""
    return Broker(
        upstream=shape.upstream,
        paths=tuple(shape.paths),
        base_url=shape.base_url,
        header=shape.header,
        placeholder=shape.placeholder,
        is_local=shape.private or hosts.is_local(shape.upstream),
    )


def check_orphans(config: MergedConfig, mistakes: FileMistakes) -> None:
    """Note what belongs to a set-up where there is none."""
    shape = config.shape.workspace
    if shape.setup is not None:
        return
    for key, value in (("egress", shape.egress), ("cache", shape.cache)):
        if value is not None:
            mistakes.add(config.place("workspace", key), "is for the set-up, and there is no setup")
