"""The boundaries that a drill kills at stand for all others."""

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


def test_one_point_is_chosen_of_each_class_and_not_always_its_first() -> None:
    chosen = set(representatives(NAMES, ALL))
    found = classes(NAMES, ALL).values()
    assert all(len(chosen.intersection(members)) == 1 for members in found)
    assert any(min(members) not in chosen for members in found)


def test_artifacts_that_are_alike_have_one_point() -> None:
    many = ["before artifact", "after artifact"] * 9
    assert representatives(many, list(range(2, 19, 2))) == [10]
