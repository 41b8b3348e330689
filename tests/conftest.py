"""What holds for every test."""

from collections.abc import Iterator, Set

import pytest
from hypothesis import HealthCheck, settings
from tests.processes import mark, require_no_survivors

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("unhurried", deadline=None, suppress_health_check=(HealthCheck.too_slow,))
settings.load_profile("unhurried")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Refuse cases without an order: each process would have them in another one."""
    for marker in metafunc.definition.iter_markers("parametrize"):
        if any(isinstance(it, Set) for it in marker.args[1:]):
            raise TypeError(f"The cases of {metafunc.definition.nodeid} are a set: sort them.")


@pytest.fixture(scope="session", autouse=True)
def _owned_processes() -> Iterator[None]:
    """Let no process outlive the tests."""
    mark()
    yield
    require_no_survivors(patience=30)
