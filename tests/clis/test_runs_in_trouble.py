"""Whole runs whose model or whose supervisor fails, with every real CLI."""

import os
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, Stage, conversation
from tests.clis.strays import strays
from tests.clis.troubles import DAEMON, SILENCE
from tests.clis.whole_run import configure, facts, killed, make_project, work
from tests.e2e.command import Json, User, until

from supervisor_ai.lab.server import LabServer

pytestmark = [pytest.mark.long, pytest.mark.parametrize("adapter", INSTALLED)]
QUICKLY: Final = {"retry_policies": {"default": {"initial_delay": "0s"}}}
IMPATIENT: Final = {**QUICKLY, "sandbox": {"limits": {"worker": {"idle_timeout": "15s"}}}}
REQUESTS: Final = {"claude": 2, "codex": 2, "gemini": 2}
"""How often a CLI asks a server in trouble before it gives up."""


def has_file(place: Path, name: str) -> bool:
    """Look for a file below directories that come and go."""
    return any(name in files for _, _, files in os.walk(place))


def check_second_attempt(user: User, run: Json, category: str) -> None:
    assert run["status"] == "completed"
    assert user.git("show", f"{run['branch']}:made.txt") == "made by a tool"
    known = facts(user, run["id"])
    assert [it["payload"]["category"] for it in known["AttemptFailed"]] == [category]
    assert len(known["AttemptStarted"]) == 2


def test_a_server_in_trouble_is_asked_again(stage: Stage, tmp_path: Path) -> None:
    user = make_project(tmp_path, QUICKLY)
    trouble = {"status": 500, "times": REQUESTS[stage.adapter]}
    with LabServer([trouble, *work(stage)]) as lab:
        configure(user, {stage: lab})
        said = user.run("--workflow", "quick", "--cli", stage.adapter)
    assert said.code == 0, said.out + said.err
    check_second_attempt(user, said.run, "network")


def test_a_model_that_falls_silent_is_asked_again(stage: Stage, tmp_path: Path) -> None:
    user = make_project(tmp_path, IMPATIENT)
    with LabServer([{"hang": 600}, *work(stage)]) as lab:
        configure(user, {stage: lab})
        said = user.run("--workflow", "quick", "--cli", stage.adapter)
    assert said.code == 0, said.out + said.err
    check_second_attempt(user, said.run, "resource")


def test_a_key_that_is_not_accepted_is_a_matter_for_a_person(stage: Stage, tmp_path: Path) -> None:
    user = make_project(tmp_path, QUICKLY)
    with LabServer([{"status": 401, "times": -1}]) as lab:
        configure(user, {stage: lab})
        said = user.run("--workflow", "quick", "--cli", stage.adapter)
    known = facts(user, said.run["id"])
    assert said.code != 0
    assert said.run["status"] == "waiting", said.out + said.err
    assert [it["payload"]["category"] for it in known["AttemptFailed"]] == ["auth"]


def test_a_killed_supervisor_leaves_a_run_that_goes_on(stage: Stage, tmp_path: Path) -> None:
    user = make_project(tmp_path, QUICKLY)
    with LabServer(conversation(stage.words.run(DAEMON), dict(SILENCE))) as lab:
        configure(user, {stage: lab})
        words = ("run", "Do it", "--yes", "--json", "--workflow", "quick", "--cli", stage.adapter)
        with killed(user.start(*words)):
            until(lambda: has_file(tmp_path / "state", "up"), "The daemon")
            assert any(stray.is_inside for stray in strays(tmp_path))
        lab.load(conversation(*work(stage)))
        newest = user.newest()
        assert newest is not None
        said = user.call("resume", newest["id"], "--json")
        assert strays(tmp_path) == []
    assert said.code == 0, said.out + said.err
    assert user.git("show", f"{said.run['branch']}:made.txt") == "made by a tool"
    assert len(facts(user, newest["id"])["AttemptLost"]) == 1
