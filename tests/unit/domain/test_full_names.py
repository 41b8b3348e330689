"""Names of commits that never mean another one."""

import pytest

from supervisor_ai.domain.ids import is_full_sha


@pytest.mark.parametrize("name", ["0" * 40, "a1" * 32])
def test_a_commit_is_named_in_full(name: str) -> None:
    assert is_full_sha(name)


@pytest.mark.parametrize(
    "name",
    ["", "main", "0" * 39, "0" * 41, "0" * 63, "A" * 40, "feature/" + "a" * 32, "0" * 40 + "\n"],
)
def test_a_branch_may_be_as_long(name: str) -> None:
    assert not is_full_sha(name)
