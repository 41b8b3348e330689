"""Whole runs that meet a usage limit: they wait for its end, or another agent goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import INSTALLED, Stage, conversation, require
from tests.clis.strays import strays
from tests.clis.vocabulary import Turn
from tests.clis.whole_run import OWN_REPEATS, configure, facts, killed, make_project, work
from tests.e2e.command import Json, User, until

from supervisor_ai.lab.server import LabServer

PUNCTUAL: Final = {"parking": {"spread": "0s"}}
SOON: Final = 4
"""Seconds: long enough to see the run wait."""
LATE: Final = 70
"""Seconds for which a run in the foreground does not stay."""
WAITS: Final = 5
HOURS: Final[Turn] = {"status": 429, "reset": 7200, "times": -1}
DENIED: Final[Turn] = {"status": 401, "times": -1}
LIMITED: Final = [
    pytest.param(name, marks=() if name == "claude" else pytest.mark.long) for name in INSTALLED
]


def limited(stage: Stage, reset: int = SOON) -> dict[str, object]:
    """Refuse until a time; a CLI that asks again by itself is told of a second first."""
    repeats = OWN_REPEATS[stage.adapter]
    at_first: list[Turn] = [{"status": 429, "reset": 1, "times": repeats}] if repeats else []
    return conversation(*at_first, {"status": 429, "reset": reset}, *work(stage))


def check_that_it_waited(user: User, run: Json) -> None:
    """See in the ledger that nobody asked again before the limit ended."""
    assert run["status"] == "completed"
    assert user.git("show", f"{run['branch']}:made.txt") == "made by a tool"
    known = facts(user, run["id"])
    [failed] = known["AttemptFailed"]
    assert failed["payload"]["category"] == "limit"
    _, second = known["AttemptStarted"]
    assert moment(second["recorded_at"]) >= moment(failed["payload"]["reset_at"])


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize("adapter", LIMITED)
def test_a_run_stays_for_the_end_of_a_limit_that_is_near(stage: Stage, tmp_path: Path) -> None:
    user = make_project(tmp_path, PUNCTUAL)
    with LabServer(limited(stage)) as lab:
        configure(user, {stage: lab})
        said = user.run("--workflow", "quick", "--cli", stage.adapter)
    assert said.code == 0, said.out + said.err
    assert strays(tmp_path) == []
    check_that_it_waited(user, said.run)


@pytest.mark.long
@pytest.mark.parametrize("adapter", INSTALLED)
def test_a_run_waits_for_the_end_of_a_limit_and_another_process_goes_on(
    stage: Stage, tmp_path: Path
) -> None:
    user = make_project(tmp_path, PUNCTUAL)
    with LabServer(limited(stage, LATE)) as lab:
        configure(user, {stage: lab})
        said = user.run("--workflow", "quick", "--cli", stage.adapter)
        assert said.code == WAITS, said.out + said.err
        assert said.run["status"] == "waiting"
        assert strays(tmp_path) == []
        said = user.call("resume", said.run["id"], "--wait", "--json")
    assert said.code == 0, said.out + said.err
    check_that_it_waited(user, said.run)


@pytest.mark.long
@pytest.mark.parametrize("adapter", INSTALLED)
def test_a_run_that_waits_outlives_its_process(stage: Stage, tmp_path: Path) -> None:
    user = make_project(tmp_path, PUNCTUAL)
    with LabServer(limited(stage)) as lab:
        configure(user, {stage: lab})
        words = ("run", "Do it", "--yes", "--json", "--wait", "--workflow", "quick")
        with killed(user.start(*words, "--cli", stage.adapter)):
            until(lambda: "AttemptFailed" in _known(user), "The limit")
        [failed] = _known(user)["AttemptFailed"]
        ends = moment(failed["payload"]["reset_at"])
        until(lambda: datetime.now(UTC) > ends, "The end of the limit")
        served = user.call("serve", "--once", "--json")
    assert served.code == 0, served.out + served.err
    check_that_it_waited(user, served.run)


def _known(user: User) -> dict[str, list[Json]]:
    newest = user.newest() if (user.repository / ".supervisor" / "state.db").exists() else None
    return facts(user, newest["id"]) if newest else {}


@contextmanager
def two_agents(place: Path, first: Turn) -> Iterator[User]:
    """Send Claude Code to a model in trouble and Codex to one that works."""
    require("codex")
    require("claude")
    claude, codex = Stage("claude", place), Stage("codex", place)
    user = make_project(place, {**PUNCTUAL, "fallback": ["codex"]})
    with LabServer([first]) as trouble, LabServer(conversation(*work(codex))) as lab:
        configure(user, {claude: trouble, codex: lab})
        yield user
        assert {seen.dialect for seen in trouble.requests} == {"anthropic"}
        assert {seen.dialect for seen in lab.requests} == {"responses"}


@pytest.mark.parametrize(
    ("trouble", "category"),
    [(DENIED, "auth"), pytest.param(HOURS, "limit", marks=pytest.mark.long)],
)
def test_another_agent_goes_on_with_the_same_contract(
    trouble: Turn, category: str, tmp_path: Path
) -> None:
    with two_agents(tmp_path, trouble) as user:
        said = user.run("--workflow", "quick", "--cli", "claude")
    assert said.code == 0, said.out + said.err
    assert user.git("show", f"{said.run['branch']}:made.txt") == "made by a tool"
    known = facts(user, said.run["id"])
    assert [it["payload"]["cli"] for it in known["AttemptStarted"]] == ["claude", "codex"]
    [failed] = known["AttemptFailed"]
    assert failed["payload"]["category"] == category
    assert known["AttemptSucceeded"][0]["payload"]["attempt"] == 2
    assert {it["payload"]["role"] for it in known["AttemptStarted"]} == {"implementer"}


@pytest.mark.long
def test_a_run_that_waits_holds_no_place(tmp_path: Path) -> None:
    with two_agents(tmp_path, HOURS) as user:
        user.commit({".supervisor/config.yaml": "parking: {enabled: true}\n"})
        waiting = user.run("--workflow", "quick", "--cli", "claude", "--queue").run["id"]
        working = user.run("--workflow", "quick", "--cli", "codex", "--queue").run["id"]
        served = user.call("serve", "--once", "--limit", "1", "--json")
        assert served.code == 0, served.err
        statuses = {
            run: user.call("status", run, "--json").run["status"] for run in (waiting, working)
        }
    assert statuses == {waiting: "waiting", working: "completed"}
