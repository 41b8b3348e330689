"""The boundaries that a drill kills at stand for all others."""

from itertools import pairwise

from tests.e2e.kill_points import KillClass, classes, points, representatives

WORK = ["before open r/{0}/1/worker/1", "after open r/{0}/1/worker/1"]
NAMES = [
    *("before artifact", "after artifact"),
    *("before commit of A+B", "after commit of A+B"),
    *(name.format("plan") for name in WORK),
    *("before artifact of a transcript", "after artifact of a transcript"),
    *("before commit of C+D", "after commit of C+D"),
    *(name.format("build") for name in WORK),
    *("before artifact", "after artifact", "before artifact", "after artifact"),
    *("before commit of C+D", "after commit of C+D"),
    *("before open r/test/1/1/gate", "after open r/test/1/1/gate"),
    *(name.format("look") for name in WORK),
    *("before commit of C+D", "after commit of C+D", "before forget", "after forget"),
]
ALL = list(range(1, len(NAMES) + 1))


def named(numbers: list[int]) -> list[str]:
    return [NAMES[number - 1] for number in numbers]


def test_a_boundary_that_leaves_nothing_new_is_no_point() -> None:
    assert points([7, 7, 8, 7, 7]) == [1, 3, 4]


def test_a_commit_is_told_by_its_events_and_an_operation_by_what_is_recorded_around_it() -> None:
    found = classes(NAMES, ALL)
    assert len(found[KillClass("after commit", "C+D")]) == 3
    assert named(found[KillClass("after open worker", "B", "C")]) == [
        "after open r/plan/1/worker/1"
    ]
    assert len(found[KillClass("after open worker", "D", "C")]) == 2
    assert len(found[KillClass("after open gate", "D", "C")]) == 1
    assert len(found[KillClass("after artifact", "")]) == 3
    assert len(found[KillClass("after artifact of a transcript", "")]) == 1
    assert len(found[KillClass("after forget", "D")]) == 1


def test_the_chosen_points_cover_every_class() -> None:
    chosen = representatives(NAMES, ALL)
    assert classes(NAMES, chosen).keys() == classes(NAMES, ALL).keys()
    assert len(chosen) < len(ALL)


def test_the_chosen_points_have_the_first_and_the_last_of_every_kind() -> None:
    chosen = set(representatives(NAMES, ALL))
    for of, members in classes(NAMES, ALL).items():
        same = [n for it, ns in classes(NAMES, ALL).items() if it.kind == of.kind for n in ns]
        assert {min(same), max(same)} <= chosen
        assert not chosen.isdisjoint(members)


def test_artifacts_that_are_alike_have_three_points() -> None:
    many = ["before artifact", "after artifact"] * 9
    assert all(a < b for a, b in pairwise(representatives(many, range(1, 19))))
    assert len(representatives(many, list(range(2, 19, 2)))) == 3
