"""What `sandbox check` and `doctor` make of sandboxes that work, and of those that do not."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.fake_logins import FakeLogins

from supervisor_ai.control.commands.doctor import (
    DoctorCheck,
    HostMachine,
    examine,
    inspect_sandboxes,
    judge_sandboxes,
)
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.queries.sandbox_check import (
    COMMANDS,
    SandboxCheck,
    Wishes,
    check_sandboxes,
    read_wishes,
)
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.domain.run.definition import SandboxPolicy
from supervisor_ai.domain.run.values import Hardness
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    LimitFinding,
    OutputSink,
    Probe,
    ProbeFinding,
    Profile,
    Sandbox,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox

FOUND = {name: f"/usr/bin/{name}" if name in ("sh", "git") else None for name in COMMANDS}
SEEN = json.dumps({"path": "/opt/bin:/usr/bin", "commands": FOUND}).encode()
LIMITS = (
    LimitFinding(name="memory", hardness=Hardness.HARD, detail="cgroup v2"),
    LimitFinding(name="disk", hardness=Hardness.SOFT, detail="counted"),
)


class Backend(ScriptedSandbox):
    """A sandbox whose proof and whose inside the test decides."""

    def __init__(self, name: str, *, said: bytes = SEEN, works: bool = True, code: int = 0) -> None:
        reply = ScriptedReply(output=((Channel.STDOUT, said),), exit_code=code)
        super().__init__(lambda _: reply)
        finding = ProbeFinding(name="a command runs", holds=works, detail="It was tried.")
        remedy = None if works else f"Install {name}"
        self.proof = Probe(
            backend=name, version="1.0", findings=(finding,), limits=LIMITS, remedy=remedy
        )
        self._own_name = name

    @property
    def name(self) -> str:  # type: ignore[explicit-override]
        return self._own_name

    async def probe(self) -> Probe:  # type: ignore[explicit-override]
        return self.proof


class Picky(Backend):
    """Refuses what the project wants to be shown."""

    async def run(  # type: ignore[explicit-override]
        self, spec: SandboxSpec, on_output: OutputSink
    ) -> SandboxResult:
        raise InvalidInput(f"{spec.ro_paths[0]!r} cannot be shown.")


def check(*backends: Backend, wishes: Wishes | None = None) -> SandboxCheck:
    made = {backend.name: backend for backend in backends}

    def make(name: str) -> Sandbox:
        if name not in made:
            raise Unavailable(f"There is no {name} on this machine.", hint=f"Install {name}")
        return made[name]

    return asyncio.run(
        check_sandboxes(
            make, ("one", "two", "three"), tools=(Path("/opt/tool"),), wishes=wishes or Wishes()
        )
    )


def test_every_sandbox_is_tried_and_the_first_that_works_is_chosen() -> None:
    found = check(Backend("one", works=False), Backend("two"))
    assert [(view.name, view.is_usable, view.remedy) for view in found.backends] == [
        ("one", False, "Install one"),
        ("two", True, None),
        ("three", False, "Install three"),
    ]
    assert found.backends[0].reason == "a command runs: It was tried."
    assert found.backends[2].reason == "it can be started: There is no three on this machine."
    assert found.backends[1].limits == LIMITS
    assert found.chosen == "two"


def test_a_worker_and_a_gate_look_around_inside() -> None:
    backend = Backend("one")
    worker, gate = check(backend).inside
    assert (worker.profile, gate.profile) == (Profile.WORKER, Profile.EXECUTOR)
    assert worker.path == ("/opt/bin", "/usr/bin")
    assert worker.commands["git"] == "/usr/bin/git"
    assert "go" in worker.missing
    assert gate.network == "none"
    assert worker.network.startswith("only through the supervisor")
    assert [spec.profile for spec in backend.specs] == [Profile.WORKER, Profile.EXECUTOR]


def test_where_nothing_works_nobody_looks() -> None:
    found = check()
    assert (found.chosen, found.inside) == (None, ())


def test_what_the_project_wants_is_included() -> None:
    backend = Backend("two")
    policy = SandboxPolicy(backend="two", ro_paths=("/opt/a",), caches=("npm",))
    wishes = Wishes(project="/work", policy=policy, hosts=("api.test:443",))
    found = check(Backend("one"), backend, wishes=wishes)
    assert (found.wanted, found.chosen, found.inside[0].backend) == ("two", "two", "two")
    assert (found.ro_paths, found.caches) == (("/opt/a",), ("npm",))
    assert found.inside[0].network.endswith("and api.test:443")
    assert {(spec.ro_paths, spec.caches) for spec in backend.specs} == {(("/opt/a",), ("npm",))}
    assert [spec.limits for spec in backend.specs] == [policy.worker, policy.executor]


@pytest.mark.parametrize(
    ("backend", "problem"),
    [
        (Backend("one", code=3), "The command ended with exit code 3."),
        (Backend("one", said=b"nonsense"), "The look inside"),
        (Backend("one", said=b"{}"), "The look inside"),
        (Backend("one", said=b"[]"), "The look inside"),
        (Backend("one", said=b'{"path": "", "commands": {"git": 1}}'), "The look inside"),
        (Picky("one"), "'/opt/a' cannot be shown."),
    ],
)
def test_a_look_that_fails_says_why(backend: Backend, problem: str) -> None:
    wishes = Wishes(policy=SandboxPolicy(ro_paths=("/opt/a",)))
    for view in check(backend, wishes=wishes).inside:
        assert str(view.problem).startswith(problem)
        assert not view.commands


def test_no_project_has_no_wishes() -> None:
    assert read_wishes(nothing_here) == Wishes()


def nothing_here() -> Preflight:
    raise InvalidInput("'/' is not inside a git repository.")


def machine(tmp_path: Path, *backends: Backend) -> HostMachine:
    made = {backend.name: backend for backend in backends}
    return HostMachine(
        git_version=lambda: "git version 2",
        sandboxes=made.__getitem__,
        backends=tuple(made),
        state=lambda: tmp_path,
        tools=lambda: (Path("/opt/tool"),),
        find_agent=lambda cli: cli.name,
        preflight=nothing_here,
        count_events=lambda: 0,
        logins=FakeLogins(),
        copies=lambda _: (),
    )


def examined(tmp_path: Path, *backends: Backend) -> dict[str, DoctorCheck]:
    checked = asyncio.run(examine(machine(tmp_path, *backends)))
    return {each.name: each for each in checked}


def test_the_doctor_tells_it_in_short(tmp_path: Path) -> None:
    found = examined(tmp_path, Backend("one", works=False), Backend("two"), Backend("three"))
    assert not any(each.is_obstacle for each in found.values())
    assert {name for name, each in found.items() if not each.holds} == {
        "other sandbox: one",
        "project",
    }
    assert found["sandbox"].detail == "two 1.0"
    assert found["limits"].detail == "hard: memory; soft: disk"
    assert (
        found["other sandbox: one"].detail == "1.0 cannot be used (a command runs: It was tried.)"
    )
    assert found["other sandbox: three"].detail == "1.0 works too"
    assert found["commands for a gate"].detail.startswith("sh, git; missing: ")
    assert found["tool chains"].detail.startswith(
        "places that are shown read-only besides the system: 1 "
    )


def test_the_doctor_is_alarmed_where_nothing_works(tmp_path: Path) -> None:
    found = examined(tmp_path, Backend("one", works=False), Backend("two", works=False))
    assert (found["sandbox"].holds, found["sandbox"].hint) == (False, "Install one")
    assert not found["sandbox: a command runs"].holds


def test_the_doctor_is_alarmed_where_nobody_can_look_inside(tmp_path: Path) -> None:
    found = examined(tmp_path, Backend("one", said=b""))["commands for a worker"]
    assert not found.holds
    assert "supervisor sandbox check" in str(found.hint)


def test_only_what_the_project_asks_for_is_chosen() -> None:
    wishes = Wishes(project="/work", policy=SandboxPolicy(backend="two"))
    found = check(Backend("one"), Backend("two", works=False), wishes=wishes)
    assert (found.wanted, found.chosen, found.inside) == ("two", None, ())
    found = check(Backend("one"), wishes=replace(wishes, policy=SandboxPolicy(backend="auto")))
    assert (found.wanted, found.chosen) == (None, "one")


def test_the_doctor_judges_what_the_project_asks_for() -> None:
    wishes = Wishes(project="/work", policy=SandboxPolicy(backend="two"))
    found = check(Backend("one"), Backend("two", works=False), wishes=wishes)
    told = {each.name: each for each in judge_sandboxes(found)}
    assert (told["sandbox"].holds, told["sandbox"].hint) == (False, "Install two")
    assert told["sandbox"].detail == "two 1.0, which the project asks for"
    assert told["other sandbox: one"].detail == "1.0 works too"


def test_whoever_asks_for_one_sandbox_is_told_about_that_one() -> None:
    wishes = Wishes(project="/work", policy=SandboxPolicy(backend="elsewhere"))
    found = check(Backend("one"), wishes=wishes)
    assert (found.wanted, found.chosen) == ("elsewhere", "one")


def test_one_sandbox_can_be_asked_for(tmp_path: Path) -> None:
    asked = machine(tmp_path, Backend("one"), Backend("two"))
    found = asyncio.run(inspect_sandboxes(asked, backend="two"))
    assert [view.name for view in found.backends] == ["two"]
    assert asyncio.run(inspect_sandboxes(replace(asked, tools=lambda: ()))).tools == ()
