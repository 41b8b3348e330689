"""Where the user's own directories are, and what is said where nobody knows."""

from pathlib import Path

import pytest

from supervisor_ai.control.settings import HostSettings, Policy, place_of_user
from supervisor_ai.domain.errors import Unavailable


def settings(**environment: str) -> HostSettings:
    policy = Policy(trusts_everything=False, allows_unsandboxed=False)
    return HostSettings(environment=environment, policy=policy, user="ada", redaction_key=b"")


def test_directories_that_are_named_need_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "nowhere")
    found = settings(SUPERVISOR_STATE="/state", SUPERVISOR_CONFIG="/config")
    assert (found.state, found.user_directory) == (Path("/state"), Path("/config"))
    assert found.known_state == (Path("/state"),)


def no_home(name: str) -> Path:
    raise RuntimeError(f"could not determine the home directory for {name!r}")


def test_a_home_that_nobody_knows_is_said() -> None:
    with pytest.raises(Unavailable, match="has no home directory") as raised:
        place_of_user(no_home)
    assert "Set HOME" in str(raised.value.hint)
    assert place_of_user(Path) == Path("supervisor")
