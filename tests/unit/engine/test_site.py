"""What surrounds a worker and a gate: plans, set-ups, caches and the ways out."""

from datetime import timedelta

import pytest
from tests.support.kernel import Kernel, flow, stop, work
from typing_extensions import override

from supervisor_ai.control.exit_codes import ERROR_EXIT_CODES, run_exit_code
from supervisor_ai.domain.errors import ErrorKind
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import (
    Definition,
    Limits,
    Role,
    SandboxPolicy,
    StepKind,
    WorkspacePolicy,
)
from supervisor_ai.domain.run.status import (
    FailureCategory,
    Outcome,
    OutcomeKind,
    RunStatus,
    Verdict,
)
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    OutputSink,
    Profile,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import PLAIN, Quota, Workspace, WorkspacePlan
from supervisor_ai.sandboxes.outcome import sandbox_failed
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.fake_workspaces import MemoryWorkspaces
from supervisor_ai.testing.world import says

DONE = says(AnswerKind.IMPLEMENTATION)
BUILD = flow(replace(work("build"), max_retries=0))
KEPT = Quota(disk=1 << 30, files=100_000)
TESTED = flow(
    replace(work("build"), max_retries=0),
    replace(stop("test", StepKind.GATE), on_fail=StepName("build"), max_retries=0),
)
SETUP = ("make", "deps")
BUILDER = AnswerKind.IMPLEMENTATION


def prepared(definition: Definition, **changes: object) -> Definition:
    policy = WorkspacePolicy(setup=SETUP, setup_timeout=timedelta(minutes=2))
    return replace(definition, workspace=replace(policy, **changes))  # type: ignore[arg-type]


class Planned(MemoryWorkspaces):
    """Workspaces that remember how they were planned."""

    def __init__(self, kernel: Kernel) -> None:
        usual = kernel.fakes.workspaces
        super().__init__(usual.commits, usual.refs, usual.branches)
        self.plans: list[WorkspacePlan] = []
        self.opened: list[Workspace] = []

    @override
    async def open(
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        self.plans.append(plan)
        self.opened.append(await super().open(run, key, fence=fence, start=start, plan=plan))
        return self.opened[-1]


def planned(kernel: Kernel, definition: Definition) -> list[WorkspacePlan]:
    workspaces = Planned(kernel)
    kernel.drive(kernel.submit(definition), world=replace(kernel.world, workspaces=workspaces))
    return workspaces.plans


def done(request: WorkerRequest) -> FakeReply:
    del request
    return FakeReply(output=DONE)


def role(**changes: object) -> Role:
    plain = Role(
        name="r",
        description="",
        answer=AnswerKind.IMPLEMENTATION,
        writes=True,
        cli="c",
        template="",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "can"),
    [
        ({}, {"edit", "browse"}),
        ({"writes": False}, {"browse"}),
        ({"allowed_tools": ("read_file",)}, set()),
        ({"allowed_tools": ("read_file", "edit_file")}, {"edit"}),
        ({"allowed_tools": ("web_search",)}, {"browse"}),
        ({"allowed_tools": ()}, set()),
    ],
)
def test_tools_decide_about_writing_and_browsing(changes: dict[str, object], can: set[str]) -> None:
    tooled = role(**changes)
    assert tooled.can_edit == ("edit" in can)
    assert tooled.can_browse == ("browse" in can)


@pytest.mark.parametrize(
    ("disk", "files", "kept"),
    [(5, 7, Quota(disk=5, files=7)), (1 << 40, 1_000_000, Quota(disk=1 << 30, files=100_000))],
)
def test_no_more_is_kept_than_a_worker_may_write(disk: int, files: int, kept: Quota) -> None:
    kernel = Kernel(None, done)
    limits = replace(SandboxPolicy().worker, disk=disk, disk_files=files)
    (plan,) = planned(kernel, replace(BUILD, sandbox=SandboxPolicy(worker=limits)))
    assert plan.keeps == kept


def test_a_workspace_is_planned_for_its_role() -> None:
    kernel = Kernel(None, done)
    policy = SandboxPolicy(disk_quota=True)
    include = WorkspacePolicy(include=(".env",))
    blind = replace(BUILD.roles[BUILDER], hides=("src/**",), allowed_tools=("read_file",))
    definition = replace(BUILD, sandbox=policy, workspace=include, roles={BUILDER: blind})
    assert planned(kernel, definition) == [
        WorkspacePlan(
            is_writable=False,
            hides=("src/**",),
            include=(".env",),
            quota=Quota(disk=policy.worker.disk, files=policy.worker.disk_files),
            keeps=KEPT,
            is_shared=True,
        )
    ]


def test_a_gate_has_the_ignored_files_and_the_executors_quota() -> None:
    kernel = Kernel(None, done)
    policy = SandboxPolicy(require_hard_limits=True)
    definition = replace(TESTED, sandbox=policy, workspace=WorkspacePolicy(include=(".env",)))
    quota = Quota(disk=policy.executor.disk, files=policy.executor.disk_files)
    assert planned(kernel, definition)[1] == WorkspacePlan(
        include=(".env",), quota=quota, has_reports=True
    )


def test_without_a_word_a_workspace_is_plain() -> None:
    kernel = Kernel(None, done)
    assert planned(kernel, TESTED) == [
        replace(PLAIN, keeps=KEPT),
        replace(PLAIN, has_reports=True),
    ]
    (spec,) = kernel.fakes.sandbox.specs
    assert (spec.profile, spec.limits) == (Profile.EXECUTOR, TESTED.sandbox.executor)
    assert spec.egress is None


def test_a_set_up_runs_before_the_worker_and_may_write() -> None:
    order: list[str] = []

    def agent(request: WorkerRequest) -> FakeReply:
        del request
        order.append("worker")
        return FakeReply(output=DONE)

    def setup(spec: SandboxSpec) -> ScriptedReply:
        order.append(spec.argv[1])
        return ScriptedReply(output=((Channel.STDOUT, b"installed"),))

    kernel = Kernel(None, agent, gates=setup)
    reader = replace(BUILD.roles[BUILDER], writes=False)
    definition = prepared(replace(BUILD, roles={BUILDER: reader}), egress=("pypi.org:443",))
    run = kernel.submit(definition)
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert order == ["deps", "worker"]
    (spec,) = kernel.fakes.sandbox.specs
    assert (spec.profile, spec.timeout) == (Profile.WORKER, timedelta(minutes=2))
    assert [mount.is_writable for mount in spec.mounts if mount.target == spec.cwd] == [True]
    assert spec.egress is not None
    assert spec.egress.allow == ("pypi.org:443",)
    (ended,) = kernel.events(run, e.SetupEnded)
    assert (ended.attempt, ended.is_cached, ended.exit_code) == (1, False, 0)
    assert ended.output is not None
    assert kernel.world.artifacts.get(ended.output) == "installed"


class Unreported(Planned):
    """Workspaces that have no place for reports."""

    @override
    async def open(
        self,
        run: RunId,
        key: EffectKey,
        *,
        fence: int,
        start: CommitSha,
        plan: WorkspacePlan = PLAIN,
    ) -> Workspace:
        made = await super().open(run, key, fence=fence, start=start, plan=plan)
        return replace(made, reports=None)


def test_a_gate_can_do_without_a_place_for_reports() -> None:
    kernel = Kernel(None, done)
    run = kernel.submit(TESTED)
    kernel.drive(run, world=replace(kernel.world, workspaces=Unreported(kernel)))
    (spec,) = kernel.fakes.sandbox.specs
    assert all("reports" not in str(mount.target) for mount in spec.mounts)


class NoRoom(ScriptedSandbox):
    """A sandbox that does not start."""

    @override
    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        del spec, on_output
        return sandbox_failed("No room")


def test_a_set_up_for_which_no_sandbox_starts_is_no_fault_of_the_set_up() -> None:
    kernel = Kernel(None, done)
    run = kernel.submit(prepared(BUILD))
    kernel.drive(run, world=replace(kernel.world, sandbox=NoRoom(lambda _: None)))
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert failed.category is FailureCategory.RESOURCE
    assert "No room" in failed.reason


def test_a_set_up_that_fails_ends_the_run_with_what_it_said() -> None:
    said = ((Channel.STDERR, b"fetching\nno such package: lefthand\n"),)
    kernel = Kernel(None, done, gates=lambda _spec: ScriptedReply(output=said, exit_code=3))
    run = kernel.submit(prepared(BUILD))
    kernel.drive(run)
    (finished,) = kernel.events(run, e.RunFailed)
    outcome = finished.outcome
    assert outcome.kind is OutcomeKind.BLOCKED
    (failed,) = kernel.events(run, e.AttemptFailed)
    assert failed.category is FailureCategory.SETUP
    assert outcome.reason == failed.reason == (
        "setup: workspace.setup failed, `make deps`. The command ended with exit code 3."
        " fetching / no such package: lefthand"
    )  # fmt: skip
    assert "no such package: lefthand" in kernel.world.artifacts.get(failed.feedback)
    assert run_exit_code(RunStatus.FAILED, outcome) == ERROR_EXIT_CODES[ErrorKind.UNAVAILABLE]
    assert kernel.fakes.worker.requests == []


def test_a_gate_whose_workspace_cannot_be_set_up_says_nothing_about_the_work() -> None:
    def second_fails(spec: SandboxSpec) -> ScriptedReply:
        is_second = len(kernel.fakes.sandbox.specs) > 1
        return ScriptedReply(
            output=((Channel.STDOUT, b"deps went wrong"),),
            exit_code=3 if spec.argv == SETUP and is_second else 0,
        )

    kernel = Kernel(None, done, gates=second_fails)
    run = kernel.submit(prepared(TESTED))
    kernel.drive(run)
    (finished,) = kernel.events(run, e.RunFailed)
    (ended,) = kernel.events(run, e.GateEnded)
    assert (ended.verdict, ended.category) == (Verdict.NOT_RUN, FailureCategory.SETUP)
    assert "`make deps`" in ended.reason
    assert ended.output is not None
    assert kernel.world.artifacts.get(ended.output) == "deps went wrong"
    assert finished.outcome == Outcome(kind=OutcomeKind.BLOCKED, reason=ended.reason)
    assert [setup.attempt for setup in kernel.events(run, e.SetupEnded)] == [1, None]
    assert kernel.fakes.workspaces.open_paths == ()


def test_what_an_equal_set_up_made_is_used_again() -> None:
    def setup(spec: SandboxSpec) -> ScriptedReply:
        if spec.argv == SETUP:
            workspaces.write(workspaces.opened[-1], "deps/it", "made")
        return ScriptedReply()

    kernel = Kernel(None, done, gates=setup)
    workspaces = Planned(kernel)
    run = kernel.submit(prepared(TESTED, cache_key=("lock",), cache_paths=("deps",)))
    driven = kernel.drive(run, world=replace(kernel.world, workspaces=workspaces))
    assert driven.status is RunStatus.COMPLETED
    assert [spec.argv for spec in kernel.fakes.sandbox.specs].count(SETUP) == 1
    assert [ended.is_cached for ended in kernel.events(run, e.SetupEnded)] == [False, True]


def test_a_drive_can_be_told_to_set_everything_up_again() -> None:
    def setup(spec: SandboxSpec) -> ScriptedReply:
        if spec.argv == SETUP:
            workspaces.write(workspaces.opened[-1], "deps/it", "made")
        return ScriptedReply()

    kernel = Kernel(None, done, gates=setup)
    workspaces = Planned(kernel)
    world = replace(kernel.world, workspaces=workspaces, is_fresh=True)
    run = kernel.submit(prepared(TESTED, cache_key=("lock",), cache_paths=("deps",)))
    assert kernel.drive(run, world=world).status is RunStatus.COMPLETED
    assert [ended.is_cached for ended in kernel.events(run, e.SetupEnded)] == [False, False]


def test_a_refusal_is_a_fact_with_host_and_step() -> None:
    def curious(request: WorkerRequest) -> FakeReply:
        refusal = EgressRefusal(host="evil.example.com", port=443, reason="not-listed")
        request.on_refusal(refusal)
        return FakeReply(output=DONE)

    kernel = Kernel(None, curious)
    run = kernel.submit(BUILD)
    kernel.drive(run)
    assert kernel.events(run, e.EgressRefused) == [
        e.EgressRefused(
            step=StepName("build"),
            visit=1,
            attempt=1,
            host="evil.example.com",
            port=443,
            reason="not-listed",
        )
    ]


def test_what_a_worker_names_in_a_request_is_redacted_before_it_is_recorded() -> None:
    token = "ghp_" + "a1B2" * 9

    def curious(request: WorkerRequest) -> FakeReply:
        reason = f"part-not-listed: {token}"
        request.on_refusal(EgressRefusal(host=token, port=443, reason=reason))
        return FakeReply(output=DONE)

    kernel = Kernel(None, curious)
    kernel.world = replace(kernel.world, redactor=RuleRedactor(key=b"k"))
    run = kernel.submit(BUILD)
    kernel.drive(run)
    [refused] = kernel.events(run, e.EgressRefused)
    assert token not in f"{refused}"
    assert refused.reason.startswith("part-not-listed: ")


@pytest.mark.parametrize(("tools", "reached"), [(None, 2), (("edit_file",), 1)])
def test_a_worker_reaches_what_its_agent_and_its_role_list(
    tools: tuple[str, ...] | None, reached: int
) -> None:
    kernel = Kernel(None, done)
    (cli,) = BUILD.clis
    curious = replace(BUILD.roles[BUILDER], egress=("pypi.org:443",), allowed_tools=tools)
    agent = replace(BUILD.clis[cli], egress=("api.example.com:443",))
    definition = replace(
        BUILD, roles={BUILDER: curious}, clis={cli: agent}, limits=Limits(attempt_tokens=7)
    )
    kernel.drive(kernel.submit(definition))
    (request,) = kernel.fakes.worker.requests
    assert request.egress == ("api.example.com:443", "pypi.org:443")[:reached]
    assert request.tokens == 7


def test_a_gate_beyond_its_limits_has_failed_for_want_of_resources() -> None:
    hungry = ScriptedReply(limit="memory")
    kernel = Kernel(None, done, gates=lambda _spec: hungry)
    run = kernel.submit(TESTED)
    kernel.drive(run)
    ended = kernel.events(run, e.GateEnded)[0]
    assert (ended.verdict, ended.category) == (Verdict.FAILED, FailureCategory.RESOURCE)
    assert "memory" in ended.reason
