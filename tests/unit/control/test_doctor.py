"""The doctor finds a row for whatever is wrong, and ends with one sentence."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
from tests.support.fake_logins import FakeLogins

from supervisor_ai.control.commands.doctor import DoctorCheck, HostMachine, conclude, examine
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.domain.errors import Denied, InvalidInput, SupervisorError, Unavailable
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Sandbox


@dataclass
class Raising:
    """Whatever is asked raises."""

    error: Exception

    def __call__(self, *_: object) -> NoReturn:
        raise self.error


def no_repository() -> Preflight:
    raise InvalidInput("'/' is not inside a git repository.", hint="Run `git init`.")


def no_sandbox(name: str) -> Sandbox:
    raise Unavailable(f"There is no {name}.", hint=f"Install {name}.")


@pytest.fixture
def machine(tmp_path: Path) -> HostMachine:
    return HostMachine(
        git_version=lambda: "git version 2",
        sandboxes=no_sandbox,
        backends=("bubblewrap",),
        state=lambda: tmp_path / "not" / "there",
        tools=lambda: (),
        find_agent=lambda cli: cli.name,
        preflight=no_repository,
        count_events=lambda: 0,
        logins=FakeLogins(),
        copies=lambda _: (),
    )


def examined(machine: HostMachine) -> dict[str, DoctorCheck]:
    return {it.name: it for it in asyncio.run(examine(machine))}


def test_a_machine_without_a_sandbox_cannot_run(machine: HostMachine) -> None:
    found = examined(machine)
    assert {name for name, it in found.items() if it.is_obstacle} == {
        "sandbox",
        "sandbox: it can be started",
    }
    assert (found["project"].holds, found["project"].is_needed) == (False, False)
    assert conclude(found.values()) == (
        "2 things are in the way of a run; next, for 'sandbox': Install bubblewrap."
    )


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(13, "Permission denied", "/state"),
        RuntimeError("Could not determine home directory."),
        Denied("Git refuses it.", hint="Trust it."),
        KeyError("HOME"),
    ],
)
@pytest.mark.parametrize(
    ("break_it", "row"),
    [
        (lambda whole, broken: replace(whole, git_version=broken), "git"),
        (lambda whole, broken: replace(whole, state=broken), "state directory"),
        (lambda whole, broken: replace(whole, tools=broken), "tool chains"),
        (lambda whole, broken: replace(whole, preflight=broken), "project"),
        (lambda whole, broken: replace(whole, sandboxes=broken), "sandbox"),
    ],
)
def test_a_look_that_fails_is_a_row_and_hides_no_other(
    machine: HostMachine,
    break_it: Callable[[HostMachine, Raising], HostMachine],
    row: str,
    error: Exception,
) -> None:
    found = examined(break_it(machine, Raising(error)))
    assert found[row].is_obstacle
    assert {"python", "git", "home directory", "state directory"} <= set(found)
    assert {"sandbox", "project"} <= set(found)
    if isinstance(error, SupervisorError) and row == "git":
        assert (found[row].detail, found[row].hint) == ("Git refuses it.", "Trust it.")


@pytest.mark.parametrize("place", ["/proc/nothing", "/dev/null/state"])
def test_a_state_directory_that_cannot_be_written_is_no_fine_one(
    machine: HostMachine, place: str
) -> None:
    found = examined(replace(machine, state=lambda: Path(place)))["state directory"]
    assert found.is_obstacle
    assert "cannot be written" in found.detail
    assert "SUPERVISOR_STATE" in str(found.hint)


def test_to_look_writes_nothing(machine: HostMachine, tmp_path: Path) -> None:
    assert examined(machine)["state directory"].holds
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_is_not_there_is_a_note(
    machine: HostMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/nonexistent/home")
    found = examined(machine)["home directory"]
    assert (found.holds, found.is_needed) == (False, False)


def check(name: str, *, hint: str | None = None, obstacle: bool = False) -> DoctorCheck:
    return DoctorCheck(name=name, holds=not obstacle, detail=f"About {name}.", hint=hint)


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ([check("git")], 'All is well; give it a task: supervisor run "…"'),
        (
            [check("git"), check("trust", hint="Agree: supervisor trust")],
            "This machine is ready; next, for 'trust': Agree: supervisor trust",
        ),
        (
            [check("ledger", obstacle=True)],
            "One thing is in the way of a run; next, for 'ledger': About ledger.",
        ),
        (
            [check("a", obstacle=True), check("b", obstacle=True, hint="Mend b."), check("c")],
            "2 things are in the way of a run; next, for 'b': Mend b.",
        ),
    ],
)
def test_one_sentence_says_what_to_do_next(findings: list[DoctorCheck], said: str) -> None:
    assert conclude(findings) == said
