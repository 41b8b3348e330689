from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Probe
from supervisor_ai.sandboxes.resource_limits.cgroups import VersionTwo
from supervisor_ai.sandboxes.resource_limits.limit_findings import find_limits, no_limits

PROBE = Probe(backend="bubblewrap", version="1", findings=())
DISK = ("disk", "disk_files")


def test_a_group_makes_limits_hard() -> None:
    found = {each.name: each for each in find_limits(VersionTwo(parents=()))}
    for name in ("memory", "processes", "cpus"):
        assert (found[name].hardness, found[name].detail) == (Hardness.HARD, "cgroup v2")


def test_without_a_group_they_are_watched() -> None:
    found = {each.name: each for each in find_limits(None)}
    assert found["memory"].hardness is found["processes"].hardness is Hardness.SOFT
    assert found["memory"].detail == "watched every 100 ms"
    assert found["cpus"].hardness is Hardness.NONE


def test_what_the_group_does_not_share_out_is_not_kept() -> None:
    group = VersionTwo(parents=(), controllers=frozenset({"memory", "pids"}))
    found = {each.name: each.hardness for each in find_limits(group)}
    assert (found["memory"], found["cpus"]) == (Hardness.HARD, Hardness.NONE)


def test_soft_limits_are_named_unless_somebody_else_keeps_them() -> None:
    hard = replace(PROBE, limits=find_limits(VersionTwo(parents=())))
    soft = replace(PROBE, limits=find_limits(None))
    assert hard.soft_limits() == DISK
    assert hard.soft_limits(kept_elsewhere=DISK) == ()
    assert soft.soft_limits(kept_elsewhere=DISK) == ("memory", "processes", "cpus")
    none = replace(PROBE, limits=no_limits())
    assert set(none.soft_limits()) == {each.name for each in find_limits(None)}
