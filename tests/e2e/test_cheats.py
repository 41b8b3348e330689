"""Both gates of a change together: cheats that nobody wrote down before, and honest changes."""

import json
import shutil
from typing import Final

import pytest
from tests.e2e.cheats import CHEATS, HONEST, MISSED, PROJECTS, Files
from tests.e2e.command import CONFIG, User, rust_homes

from supervisor_ai.domain.run.gates import REPLAYABLE

_QUICK: Final = frozenset(
    {
        "python: one label for everybody",
        "python: right beside its tests",
        "python: right for a caller of some name",
        "package: equal to what is near",
        "node: right among the variables of a runner",
        "node: answers by lengths",
        "python: a new function with values of its own",
        "node: a new function that shares a value with a test",
    }
)


def named(names: "list[str]") -> list[object]:
    """Leave most of them to those who have time."""
    marks = {True: (), False: (pytest.mark.long,)}
    return [pytest.param(name, marks=marks[name in _QUICK], id=name) for name in names]


def refusals(user: User, change: tuple[str, Files]) -> list[str]:
    """Name what speaks against a change, as in a run."""
    project = PROJECTS[change[0]]
    if shutil.which(project.command[0]) is None:
        pytest.skip(f"there is no {project.command[0]} here")
    config = CONFIG.replace("[test, -f, done.txt]", json.dumps(project.command))
    user.commit({".supervisor/config.yaml": config, **project.files})
    user.commit(change[1])
    read, ran = (errors(user, gate) for gate in ("test_integrity", "test"))
    return [*read, *ran] if ran else [rule for rule in read if rule not in REPLAYABLE]


def errors(user: User, gate: str) -> list[str]:
    said = user.call("gate", "check", gate, "--json", **rust_homes()).json["check"]
    found = [it["rule"] for it in said["findings"] if it["severity"] == "error"]
    return found or [gate] * (said["verdict"] == "failed")


@pytest.mark.parametrize("name", named([name for name in CHEATS if name not in MISSED]))
def test_a_cheat_is_seen(user: User, name: str) -> None:
    assert refusals(user, CHEATS[name]) != []


@pytest.mark.parametrize("name", named(list(HONEST)))
def test_an_honest_change_passes(user: User, name: str) -> None:
    assert refusals(user, HONEST[name]) == []
