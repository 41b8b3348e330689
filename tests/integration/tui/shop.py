"""A small shop on which agents work: runs in every state, with fixed names, times and costs."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

from tests.integration.tui.scene import TuiScene
from tests.support.kernel import CLI, flow, stop, work

from supervisor_ai.domain.ids import CommitSha, RunId, StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    RiskLevel,
)
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ChangeFacts, FactEvidence, Reading
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.ids import FakeIds
from supervisor_ai.testing.world import says

NAMES: Final = (
    "r7kq20a01zb9",
    "r2mf81c44xq0",
    "r9dd07b6e5ta",
    "r4xw55k9p3ne",
    "r1hc3v8w2k7s",
    "r6pt9n0d5f4j",
    "r8bz4q1y6c2m",
)
PATCH: Final = """\
diff --git a/api/auth.py b/api/auth.py
new file mode 100644
index 0000000..1111111
--- /dev/null
+++ b/api/auth.py
@@ -0,0 +1,14 @@
+\"\"\"Log in and out.\"\"\"
+
+from shop.users import find_user
+
+
+def log_in(name: str, password: str) -> str | None:
+    \"\"\"Return a token, or None where the password is wrong.\"\"\"
+    user = find_user(name)
+    if user is None or not user.has(password):
+        return None
+    return user.token(hours=12)
+
+
+SESSIONS: dict[str, str] = {}
diff --git a/middleware/auth.py b/middleware/auth.py
index 2222222..3333333 100644
--- a/middleware/auth.py
+++ b/middleware/auth.py
@@ -8,9 +8,10 @@ class Guard:
     \"\"\"Lets in who has a token.\"\"\"

     def __init__(self, app: App) -> None:
         self.app = app
+        self.sessions = SESSIONS

     def check(self, request: Request) -> bool:
-        token = request.headers.get("token")
-        return token == MASTER_TOKEN
+        token = request.headers.get("authorization")
+        return token in self.sessions  # LONG

     def refuse(self) -> Response:
diff --git a/tests/test_auth.py b/tests/test_auth.py
new file mode 100644
index 0000000..4444444
--- /dev/null
+++ b/tests/test_auth.py
@@ -0,0 +1,3 @@
+def test_a_wrong_password_is_refused() -> None:
+    assert log_in("ada", "wrong") is None
+
diff --git a/docs/login.png b/docs/login.png
new file mode 100644
index 0000000..5555555
Binary files /dev/null and b/docs/login.png differ
"""
LONG: Final = "one line that is so long that it has to be broken on a terminal of eighty columns"
WHOLE: Final = flow(
    work("plan", AnswerKind.PLAN),
    work("implement"),
    stop("test", StepKind.GATE),
    work("review", AnswerKind.REVIEW),
    stop("commit", StepKind.COMMIT),
)
QUICK: Final = flow(work("implement"), stop("commit", StepKind.COMMIT))
_COSTS: Final = {
    AnswerKind.PLAN: (Decimal("0.04"), 40, 8_200, 900),
    AnswerKind.IMPLEMENTATION: (Decimal("0.31"), 190, 61_400, 7_350),
    AnswerKind.REVIEW: (Decimal("0.07"), 55, 15_900, 1_200),
}


def level(name: RiskLevel, action: ApprovalAction, words: str) -> ApprovalLevel:
    """Make a level of one condition."""
    condition = read_condition(words, frozenset())
    assert isinstance(condition, RiskCondition)
    return ApprovalLevel(
        level=name, conditions=(condition,), action=action, match=ConditionMatch.ANY
    )


POLICY: Final = ApprovalPolicy(
    levels=(
        level(RiskLevel.HIGH, ApprovalAction.REQUIRE_APPROVAL, "changes_auth_code"),
        level(RiskLevel.MEDIUM, ApprovalAction.REQUIRE_APPROVAL, "file_count < 10"),
    )
)


class NamedIds(FakeIds):
    """Gives runs names as they have in life, always the same."""

    def __init__(self) -> None:
        super().__init__()
        self._names: Iterator[str] = iter(NAMES)

    def run_id(self) -> RunId:  # type: ignore[explicit-override]
        return RunId(next(self._names))


def agent(request: WorkerRequest) -> FakeReply:
    """Work for a while, cost something, and agree; who is told to stumble does so."""
    kind = request.role
    cost, seconds, tokens_in, tokens_out = _COSTS[kind]  # type: ignore[index]
    usage = Usage(tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)
    said = says(kind)  # type: ignore[arg-type]
    if "currency" in request.prompt and kind == AnswerKind.IMPLEMENTATION:
        return FakeReply(output="I could not do it.\n", takes=timedelta(seconds=70), usage=usage)
    lines = "Reading api/ and middleware/ …\nWriting api/auth.py\n12 tests written\n"
    return FakeReply(
        output=f"{lines}{said}", takes=timedelta(seconds=seconds), usage=usage, files={"a.py": "1"}
    )


def gates(spec: SandboxSpec) -> ScriptedReply:
    """Let tests pass after a while."""
    del spec
    printed = b"34 passed in 11.20s\n"
    return ScriptedReply(output=((Channel.STDOUT, printed),), takes=timedelta(seconds=12))


def definition(whole: Definition = WHOLE) -> Definition:
    """Give the workflow its ways back and a budget."""
    steps = dict(whole.workflow.steps)
    back = StepName("implement")
    steps[StepName("test")] = replace(steps[StepName("test")], on_fail=back)
    steps[StepName("review")] = replace(steps[StepName("review")], on_reject=back)
    workflow = replace(whole.workflow, name="standard", steps=steps)
    budget = Amount(money=Decimal(5), attempts=20)
    return replace(whole, workflow=workflow, budgets={Scope.RUN: budget}, approvals=POLICY)


class Shop(TuiScene):
    """A project in the middle of its work."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, agent, gates)
        kernel = self.kernel
        kernel.world = replace(kernel.world, ids=NamedIds())
        kernel.fakes.examiner.readings["34 passed"] = Reading(tool="pytest", tests=34, failed=0)
        self.patch = PATCH.replace("LONG", LONG)
        clock = kernel.fakes.clock
        typo = kernel.submit(QUICK, task="Fix a typo on the start page")
        kernel.drive(typo)
        clock.advance(timedelta(minutes=9))
        self.failed = kernel.submit(QUICK, task="Convert prices to any currency")
        kernel.drive(self.failed)
        clock.advance(timedelta(minutes=4))
        self.left = kernel.submit(QUICK, task="Send a mail when a parcel is on its way")
        self.tell(self.left, *_begun(self.left, "implement"))
        clock.advance(timedelta(minutes=2))
        self.known(file_count=4, changes_auth_code=True)
        self.asking = kernel.submit(definition(), task="Add auth endpoints\n\nWith tests.")
        kernel.drive(self.asking)
        clock.advance(timedelta(minutes=3))
        self.known(file_count=4, changes_auth_code=False)
        self.second = kernel.submit(definition(), task="Let a customer change the address")
        kernel.drive(self.second)
        clock.advance(timedelta(minutes=1))
        self.busy = kernel.submit(definition(), task="Add a /health endpoint")
        self.tell(self.busy, *_begun(self.busy, "plan"))
        world = kernel.world
        self.lease = world.leases.acquire(
            self.busy, owner="ada", process=world.processes.current(), ttl=timedelta(days=3650)
        )
        clock.advance(timedelta(seconds=47))
        self.moment = kernel.world.clock.now()

    def known(self, **facts: int | bool) -> None:
        """Let these facts be known of every change from now on."""
        told = {"changes_supervisor_settings": False, **facts}
        evidence = (
            FactEvidence(fact="changes_auth_code", file="api/auth.py", detail="by its path"),
        )
        self.kernel.fakes.examiner.known = ChangeFacts(
            facts=tuple(Fact(name=name, value=value) for name, value in told.items()),
            evidence=evidence if facts.get("changes_auth_code") else (),
        )

    def ask(self, task: str) -> RunId:
        """Let one more run come to its question, as another process would drive it."""
        run = self.kernel.submit(definition(), task=task)
        self._drive(run)
        return run

    def answer(self, run: RunId) -> None:
        """Let somebody else say yes to a run, and drive it."""
        asked = self.kernel.play(run).run.approval
        assert asked is not None
        yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree)
        self.kernel.send(run, "yes", yes)
        self._drive(run)

    def _drive(self, run: RunId) -> None:
        with ThreadPoolExecutor(1) as other:
            other.submit(self.kernel.drive, run).result()


def _begun(run: RunId, step: str) -> tuple[e.RunEvent, ...]:
    name = StepName(step)
    return (
        e.RunStarted(driver="workflow", parent=None, root=run),
        e.StepEntered(step=name, visit=1, start=None),
        e.AttemptStarted(
            step=name,
            visit=1,
            slot=1,
            attempt=1,
            role=step,
            cli=CLI.name,
            start=CommitSha("b" * 40),
        ),
    )
