from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.engine.ports.sandbox import Sandbox
from supervisor_ai.sandboxes.backends import make_sandbox


def make(name: str, platform: str = "linux") -> Sandbox:
    return make_sandbox(name, state=Path("/nowhere"), environment={}, platform=platform)


@pytest.mark.parametrize("name", ["bubblewrap", "podman", "docker"])
def test_every_backend_can_be_made_and_knows_its_name(name: str) -> None:
    assert make(name).name == name


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'none'"):
        make("none")


@pytest.mark.parametrize(
    ("platform", "hint"),
    [("darwin", "virtual machine"), ("win32", "WSL 2"), ("sunos5", "Use Linux.")],
)
def test_elsewhere_than_on_linux_it_says_what_works(platform: str, hint: str) -> None:
    with pytest.raises(Unavailable, match=f"works on Linux, and this system is '{platform}'") as no:
        make("bubblewrap", platform)
    assert hint in str(no.value.hint)
