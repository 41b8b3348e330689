"""How each limit is enforced on this machine, for people who decide whether that is enough."""

from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.engine.ports.sandbox import LimitFinding
from supervisor_ai.sandboxes.resource_limits import disk_usage, process_usage
from supervisor_ai.sandboxes.resource_limits.cgroups import Cgroups


def find_limits(cgroups: Cgroups | None) -> tuple[LimitFinding, ...]:
    """Say for every limit of a command whether the kernel keeps it."""
    return (*_bounded_by(cgroups), *_always())


def no_limits() -> tuple[LimitFinding, ...]:
    """Say for every limit that nothing keeps it."""
    return tuple(
        LimitFinding(name=finding.name, hardness=Hardness.NONE, detail="nothing bounds it")
        for finding in find_limits(None)
    )


def _bounded_by(cgroups: Cgroups | None) -> tuple[LimitFinding, ...]:
    if cgroups is not None:
        hardness, detail = Hardness.HARD, cgroups.name
    elif process_usage.is_visible():
        hardness, detail = Hardness.SOFT, f"watched every {process_usage.PERIOD * 1000:g} ms"
    else:
        hardness, detail = Hardness.NONE, "the kernel does not name the children of a process"
    shared = LimitFinding(name="cpus", hardness=hardness, detail=detail)
    if cgroups is None or "cpu" not in cgroups.controllers:
        shared = LimitFinding(name="cpus", hardness=Hardness.NONE, detail="no control group for it")
    return (
        LimitFinding(name="memory", hardness=hardness, detail=detail),
        LimitFinding(name="processes", hardness=hardness, detail=detail),
        shared,
    )


def _always() -> tuple[LimitFinding, ...]:
    counted = f"counted every {disk_usage.PERIOD:g} s, unless the workspace has a disk of its own"
    return (
        LimitFinding(name="file_size", hardness=Hardness.HARD, detail="RLIMIT_FSIZE"),
        LimitFinding(name="disk", hardness=Hardness.SOFT, detail=counted),
        LimitFinding(name="disk_files", hardness=Hardness.SOFT, detail=counted),
    )
