"""Where groups can be made, by what a hierarchy says; the trees here are made up."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from supervisor_ai.domain.run.definition import EXECUTOR_LIMITS, ResourceLimits
from supervisor_ai.domain.structs import replace
from supervisor_ai.sandboxes.resource_limits.cgroups import (
    Group,
    VersionOne,
    VersionTwo,
    dissolve,
    find_cgroups,
    grouped,
    locate,
    works,
)

LIMITS = replace(EXECUTOR_LIMITS, memory=1000, processes=7, cpus=1.5)
ALL = "cpuset cpu io memory pids"


def membership(ground: Path, *lines: str) -> Path:
    path = ground / "membership"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def group(place: Path, *, controllers: str = ALL, handed_on: str = "") -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / "cgroup.controllers").write_text(controllers)
    (place / "cgroup.subtree_control").write_text(handed_on)
    (place / "cgroup.procs").write_text("")
    return place


# The first version


@pytest.fixture
def first(tmp_path: Path) -> Path:
    root = tmp_path / "first"
    for place in ("memory/session", "pids", "cpu,cpuacct"):
        (root / place).mkdir(parents=True)
    (root / "cpu").symlink_to("cpu,cpuacct")
    return root


def test_each_controller_has_a_place_below_our_own_group(first: Path, tmp_path: Path) -> None:
    ours = membership(tmp_path, "4:memory:/session", "2:pids:/", "1:cpu,cpuacct:/", "0::/")
    found = locate(first, ours)
    assert found == VersionOne(
        parents=(first / "cpu,cpuacct", first / "memory/session", first / "pids")
    )


def test_a_group_that_is_named_as_outside_is_the_top_inside(first: Path, tmp_path: Path) -> None:
    found = locate(first, membership(tmp_path, "4:memory:/docker/abc", "2:pids:/docker/abc"))
    assert found is not None
    assert {first / "memory", first / "pids"} <= set(found.parents)


def test_processors_may_be_missing_but_not_memory(first: Path, tmp_path: Path) -> None:
    (first / "cpu").unlink()
    found = locate(first, membership(tmp_path))
    assert found is not None
    assert found.controllers == {"memory", "pids"}
    assert not [file for file in found.settings(LIMITS) if file.startswith("cpu")]
    (first / "pids").rmdir()
    assert locate(first, membership(tmp_path)) is None


def test_swap_is_no_way_around_the_limit_of_the_first_version() -> None:
    assert VersionOne(parents=()).settings(LIMITS) == {
        "memory.limit_in_bytes": "1000",
        "memory.memsw.limit_in_bytes": "1000",
        "pids.max": "7",
        "cpu.cfs_period_us": "100000",
        "cpu.cfs_quota_us": "150000",
    }


# The second version


def test_the_top_hands_on_what_root_asks_for(tmp_path: Path) -> None:
    root = group(tmp_path / "second")
    found = locate(root, membership(tmp_path, "0::/"))
    # The kernel would have turned this into the list of what is handed on.
    assert (root / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    assert found is None
    group(root, handed_on="cpu memory pids")
    assert locate(root, membership(tmp_path, "0::/")) == VersionTwo(parents=(root,))


def test_the_nearest_group_that_hands_on_is_taken(tmp_path: Path) -> None:
    root = group(tmp_path / "second", handed_on="memory pids")
    delegated = group(root / "user/app", controllers="memory pids", handed_on="memory pids")
    group(delegated / "ours", controllers="memory pids")
    found = locate(root, membership(tmp_path, "0::/user/app/ours"))
    assert found == VersionTwo(parents=(delegated,), controllers=frozenset({"memory", "pids"}))


def test_nothing_is_taken_that_cannot_be_written_or_does_not_count_memory(tmp_path: Path) -> None:
    root = group(tmp_path / "second", controllers="cpu pids", handed_on="cpu pids")
    ours = group(root / "session", handed_on=ALL)
    (ours / "cgroup.procs").unlink()
    assert locate(root, membership(tmp_path, "0::/session")) is None
    assert locate(root, membership(tmp_path, "0::/gone")) is None


def test_the_second_version_leaves_no_swap() -> None:
    assert VersionTwo(parents=()).settings(LIMITS) == {
        "memory.max": "1000",
        "memory.swap.max": "0",
        "pids.max": "7",
        "cpu.max": "150000 100000",
    }


# Groups


def test_a_place_that_only_looks_like_one_is_not_taken(tmp_path: Path) -> None:
    root = group(tmp_path / "second", handed_on="cpu memory pids")
    assert find_cgroups(root, membership(tmp_path, "0::/")) is None
    assert not [path for path in root.iterdir() if path.is_dir()]


def test_what_a_killed_trial_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    root = group(tmp_path / "second", handed_on="cpu memory pids")
    alive, dead = (root / f"supervisor-trial-{pid}-1" for pid in (os.getpid(), 1 << 30))
    alive.mkdir()
    dead.mkdir()
    find_cgroups(root, membership(tmp_path, "0::/"))
    assert [path for path in root.iterdir() if path.is_dir()] == [alive]


def test_a_setting_that_the_kernel_does_not_offer_is_a_failure(tmp_path: Path) -> None:
    cgroups = VersionTwo(parents=(tmp_path,))
    with pytest.raises(FileNotFoundError, match=r"memory\.max"), grouped(cgroups, "x", LIMITS):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("events", "exceeded"),
    [
        ({}, ()),
        ({"memory.events": "low 0\nmax 3\noom 1\noom_kill 0\n"}, ()),
        ({"memory.events": "oom_kill 2\n", "pids.events": "max 0\n"}, ("memory",)),
        ({"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"}, ("memory",)),
        ({"pids.events": "max 5\n"}, ("processes",)),
    ],
)
def test_what_the_kernel_refused_is_told(
    tmp_path: Path, events: dict[str, str], exceeded: tuple[str, ...]
) -> None:
    for file, text in events.items():
        (tmp_path / file).write_text(text)
    assert Group((tmp_path,)).exceeded() == exceeded


def test_a_process_joins_every_group(tmp_path: Path) -> None:
    places = (tmp_path / "one", tmp_path / "two")
    for place in places:
        group(place)
    Group(places).join(os.getpid())
    assert {(place / "cgroup.procs").read_text() for place in places} == {str(os.getpid())}


def test_a_group_that_is_gone_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "group").mkdir()
    dissolve(tmp_path / "group")
    dissolve(tmp_path / "group")
    assert not list(tmp_path.iterdir())


def test_a_trial_that_somebody_else_removes_is_made_again(tmp_path: Path) -> None:
    made: list[str] = []

    class Disturbed(VersionOne, frozen=True, kw_only=True):
        def settings(  # type: ignore[explicit-override]
            self, limits: ResourceLimits
        ) -> Mapping[str, str]:
            made.append("trial")
            return {"gone": "1"} if len(made) == 1 else {}

    assert works(Disturbed(parents=(tmp_path,)))
    assert len(made) == 2
