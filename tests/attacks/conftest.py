"""Fields for the attempts, one for each user and each process of the tests."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.attacks.outer import CannotBeTried, Field, field
from tests.support.forks import NUMBER


class Fields:
    """Starts a field when somebody first needs it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._started: dict[str, Field | CannotBeTried] = {}

    def of(self, user: str) -> Field:
        """Return the field of root or of an ordinary user; without one, the test is skipped."""
        if user not in self._started:
            self._started[user] = self._start(user)
        found = self._started[user]
        if isinstance(found, CannotBeTried):
            pytest.skip(str(found))
        return found

    def _start(self, user: str) -> Field | CannotBeTried:
        lane = int(os.environ.get(NUMBER, "0"))
        try:
            return self._stack.enter_context(field(as_root=user == "root", lane=lane))
        except CannotBeTried as reason:
            return reason


@pytest.fixture(scope="session")
def fields() -> Iterator[Fields]:
    with ExitStack() as stack:
        yield Fields(stack)
