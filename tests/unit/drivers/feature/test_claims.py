from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.drivers.feature.plan.claims import (
    Territory,
    is_pattern,
    overlap,
    undeclared,
)


def test_what_no_claim_covers_is_undeclared() -> None:
    claims = ("src/auth", "models/user.py", "tests/**/test_*.py", "a[b].py")
    covered = ["src/auth/login.py", "models/user.py", "tests/x/test_a.py", "a[b].py"]
    assert undeclared(claims, covered) == ()
    stray = ("src/authority.py", "models/user.pyi", "tests/conftest.py", "src/auth/*", "shop")
    assert undeclared(claims, stray) == stray


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "./src//a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src/", "src/a.py", True),
        ("src", "src/a.py", True),
        ("src/auth", "src/authority.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("src/**/*.py", "src/a/b/c.ts", False),
        ("src/**", "lib/**", False),
        ("**/test_*.py", "tests/unit/test_a.py", True),
        ("src/*_a.py", "src/b_*.py", True),
        ("src/*a", "src/b*", True),
        ("src/a*", "src/b*", False),
        ("src/?.py", "src/ab.py", False),
        ("src/[ab].py", "src/c.py", True),
        ("src/[ab.py", "src/[ab.py", True),
        ("src/*", "src/?", True),
        ("src/ab", "src/a*b", True),
        ("src/ac", "src/a*b", False),
        ("a/**/b/**/c.py", "**/b/x/**/c.py", True),
        ("a/**/b/**", "c/**/b/**", False),
        ("**/" * 60 + "x.py", "**/y/" * 60 + "x.py", True),
        ("**/a/" * 60 + "x.py", "**/a/" * 59 + "y.py", False),
    ],
)
def test_two_claims_overlap_where_one_file_could_belong_to_both(
    one: str, other: str, *, expected: bool
) -> None:
    assert overlap(one, other) is expected
    assert overlap(other, one) is expected


_PART = st.text("ab*?", min_size=1, max_size=5).filter(lambda it: "**" not in it)


@given(_PART, _PART, st.text("ab", min_size=1, max_size=5))
def test_what_both_patterns_match_shows_that_they_overlap(one: str, other: str, name: str) -> None:
    if fnmatchcase(name, one) and fnmatchcase(name, other):
        assert overlap(f"src/{one}", f"src/{other}")


@given(st.lists(st.sampled_from(["a", "b", "a/x", "a/*", "**/x", "b/", "c?", "c1"]), max_size=6))
def test_claims_share_a_lock_exactly_where_they_overlap(claims: list[str]) -> None:
    territory = Territory(claims)
    for one in claims:
        for other in claims:
            is_shared = not territory.locks([one]).isdisjoint(territory.locks([other]))
            assert is_shared is overlap(one, other), (one, other)


def test_a_touched_file_takes_what_others_would_need_to_write_it() -> None:
    territory = Territory(["src/a.py", "src/**", "lib"])
    assert territory.touched(["src/a.py"]) == {"src/a.py", "src/**"}
    assert territory.touched(["lib/x.py", "else.py"]) == {"lib/x.py", "lib", "else.py"}
    assert not territory.locks(["lib"]).isdisjoint(territory.touched(["lib/x.py"]))


def test_a_plain_path_is_no_pattern() -> None:
    assert [is_pattern(it) for it in ("a/b.py", "a/*.py", "a/?", "[a]")] == [False, *[True] * 3]
