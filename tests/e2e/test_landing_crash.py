"""Kill who lands a feature in two repositories, everywhere: it is in both, once, after the next."""

import pytest
from tests.e2e.command import Said, User
from tests.e2e.two_repositories import Shop


@pytest.fixture
def shop(newcomer: User) -> Shop:
    return Shop(newcomer).built()


def land(shop: Shop, name: str, *number: str) -> Said:
    return shop.user.play("tests.e2e.crash_landing", str(shop.user.repository), name, *number)


def check_once(shop: Shop, name: str, before: tuple[str, str]) -> None:
    """Find the work in both repositories, once, and both checkouts as their branches have them."""
    for git, old in ((shop.user.git, before[0]), (shop.git, before[1])):
        assert git("rev-list", "--count", f"{old}..main") == "1", name
        assert git("status", "--porcelain", "--untracked-files=no") == "", name
        assert f"Supervisor-Run: {name}" in git("log", "-1", "--format=%B", "main"), name


def reset(shop: Shop, before: tuple[str, str]) -> None:
    for git, old in ((shop.user.git, before[0]), (shop.git, before[1])):
        git("reset", "--quiet", "--hard", old)


def kill_at(shop: Shop, number: int, before: tuple[str, str]) -> None:
    name = f"landing-{number}"
    assert land(shop, name, str(number)).code == -9, name
    again = land(shop, name)
    assert again.code == 0, (name, again)
    assert again.json["status"] == "landed", name
    check_once(shop, name, before)
    reset(shop, before)


def test_a_landing_that_is_killed_between_two_repositories_is_finished_by_the_next(
    shop: Shop,
) -> None:
    before = shop.tips()
    whole = land(shop, "landing-whole")
    assert whole.json["status"] == "landed", whole
    check_once(shop, "landing-whole", before)
    reset(shop, before)
    passed = whole.json["passed"]
    first = next(at for at, name in enumerate(passed, 1) if name.startswith("after /"))
    kill_at(shop, first, before)
    runs = shop.user.call("status", "--json").json["runs"]
    own = next(it["id"] for it in runs if it["driver"] == "feature")
    assert land(shop, own, str(first)).code == -9
    refused = shop.feature("rollback", "P1", "all", "--yes", "--json")
    assert refused.code == 4
    assert "is not finished" in refused.error["message"], "half of it could be neither"
    assert shop.feature("land", "P1", "--json").json["status"] == "landed"
    check_once(shop, own, before)


@pytest.mark.long
def test_a_landing_that_is_killed_anywhere_is_finished_by_the_next(shop: Shop) -> None:
    before = shop.tips()
    passed = land(shop, "landing-whole").json["passed"]
    reset(shop, before)
    assert len(passed) >= 14, passed
    for number in range(1, len(passed) + 1):
        kill_at(shop, number, before)
