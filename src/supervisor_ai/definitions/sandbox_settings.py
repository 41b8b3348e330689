"""What sandboxes and workspaces are told, laid over what was said below."""

from dataclasses import replace

from supervisor_ai.definitions import hosts
from supervisor_ai.definitions.layers import Written
from supervisor_ai.definitions.mistakes import Mistakes
from supervisor_ai.definitions.sandbox_shapes import (
    BrokerShape,
    ResourceShape,
    SandboxShape,
    WorkspaceShape,
)
from supervisor_ai.definitions.shapes import ConfigShape
from supervisor_ai.definitions.shelves import Origin
from supervisor_ai.domain.run.definition import (
    Broker,
    ResourceLimits,
    SandboxPolicy,
    WorkspacePolicy,
)


def lay_sandbox(below: SandboxPolicy, shape: SandboxShape) -> SandboxPolicy:
    """Lay one file's word on sandboxes over the others'; paths and caches add up."""
    return SandboxPolicy(
        backend=shape.backend or below.backend,
        ro_paths=tuple(dict.fromkeys((*below.ro_paths, *shape.ro_paths))),
        caches=tuple(dict.fromkeys((*below.caches, *shape.caches))),
        worker=_lay_limits(below.worker, shape.limits.worker),
        executor=_lay_limits(below.executor, shape.limits.executor),
        disk_quota=_or(shape.disk_quota, below.disk_quota),
        require_hard_limits=_or(shape.require_hard_limits, below.require_hard_limits),
    )


def lay_workspace(below: WorkspacePolicy, shape: WorkspaceShape) -> WorkspacePolicy:
    """Lay one file's word on workspaces over the others'; a set-up is replaced as a whole."""
    timeout = shape.setup_timeout or below.setup_timeout
    if shape.setup is None:
        return replace(below, setup_timeout=timeout)
    return WorkspacePolicy(
        setup=tuple(shape.setup),
        setup_timeout=timeout,
        egress=tuple(shape.egress or ()),
        cache_key=tuple(shape.cache.key) if shape.cache else (),
        cache_paths=tuple(shape.cache.paths) if shape.cache else (),
    )


def read_broker(name: str, config: Written[ConfigShape], mistakes: Mistakes) -> Broker | None:
    """Read how an agent reaches its model; a project has no say in that."""
    shape = config.shape.clis[name].broker
    if shape is None:
        return None
    if config.origin is Origin.PROJECT:
        problem = "names a service and a key of yours; only your own config may do that"
        mistakes.add(config.place("clis", name, "broker"), problem)
        return None
    return _broker(shape)


def check_orphans(config: Written[ConfigShape], mistakes: Mistakes) -> None:
    """Note what belongs to a set-up where there is none."""
    shape = config.shape.workspace
    if shape.setup is not None:
        return
    for key, value in (("egress", shape.egress), ("cache", shape.cache)):
        if value is not None:
            mistakes.add(config.place("workspace", key), "is for the set-up, and there is no setup")


def _broker(shape: BrokerShape) -> Broker:
    return Broker(
        upstream=shape.upstream,
        paths=tuple(shape.paths),
        base_url=shape.base_url,
        header=shape.header,
        placeholder=shape.placeholder,
        is_local=shape.private or hosts.is_local(shape.upstream),
    )


def _or(said: bool | None, below: bool) -> bool:  # noqa: FBT001 - two words of the same kind
    return below if said is None else said


def _lay_limits(below: ResourceLimits, shape: ResourceShape) -> ResourceLimits:
    written = {name: getattr(shape, name) for name in ResourceShape.model_fields}
    return replace(below, **{name: value for name, value in written.items() if value is not None})
