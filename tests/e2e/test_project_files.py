"""Files that nobody reads are named wherever a project is looked at."""

import pytest
from tests.e2e.command import User

TYPO = ".supervisor/limit.yaml"


@pytest.fixture
def careless(user: User) -> User:
    """Give a user whose project has one."""
    user.commit({TYPO: "limits: {}\n"})
    return user


NAMED = f"{TYPO}:1: is read by nobody; did you mean limits.yaml"


@pytest.mark.parametrize(
    "arguments",
    [
        ("workflow", "validate"),
        ("workflow", "validate", "--json"),
        ("workflow", "validate", "quick"),
        ("doctor",),
        ("run", "Do it", "--workflow", "quick", "--yes"),
    ],
)
def test_every_look_at_the_project_names_it(careless: User, arguments: tuple[str, ...]) -> None:
    said = careless.call(*arguments)
    words = " ".join(f"{said.out} {said.err}".split())
    assert said.code == 0, words
    assert NAMED in words
