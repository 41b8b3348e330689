"""The third wake of a full-lifecycle session: what is loaded and sent, and that it is enough."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

import pytest
from tests.support.checkpoint_scene import ADA, BOSS, FOLDER, resident
from tests.support.kernel import Kernel
from tests.support.lifecycle import ARTIFACTS, OWNERS, PIPELINE, SCOPES
from tests.support.lifecycle_documents import DOCUMENTS, wisdom

from supervisor_ai.control.sessions.bus import Bus, Post
from supervisor_ai.control.sessions.desk import NewSession, SessionDesk, desk_of, open_session
from supervisor_ai.control.sessions.members import caller_of
from supervisor_ai.control.sessions.tasks import NewTask, Tasks
from supervisor_ai.definitions.pipelines.files import FilePipelines
from supervisor_ai.domain.ids import RunId, SessionId
from supervisor_ai.domain.session.members import Member, MemberRole
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.commands.requests import CheckpointWish, request_checkpoint
from supervisor_ai.drivers.checkpoint.driver import CheckpointDriver
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, read_report
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply, answering

FEWER: Final = 5
"""How many times less is loaded and sent at the third wake than all of it."""
PROGRESS: Final = 6
"""How many messages about its progress a member sends for each task."""
LAST: Final = "CHECKPOINT-003"
SHOWN: Final = re.compile(r"(\S+):([0-9]+): (.*)")


class Reader:
    """A judge who answers by what is written, wherever it stands, and remembers what it was told.

    A decision for two providers contradicts one for one provider; a plan of high complexity must
    not be executed at once.
    """

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def __call__(self, request: WorkerRequest) -> FakeReply:
        self.prompts.append(request.prompt)
        lines = request.prompt.split("\n")
        asked = [it[2:].partition(":")[0] for it in lines if it.startswith("- ")]
        found = [match for it in lines if (match := SHOWN.fullmatch(it))]
        checks = [self._judge(check, found) for check in asked]
        return FakeReply(output=answering({"status": "JUDGED", "checks": checks}))

    def _judge(self, check: str, found: list[re.Match[str]]) -> dict[str, object]:
        clash = {
            "decisions_agree": ("one provider", "two providers"),
            "decision_chain": ("one provider", "two providers"),
            "execution_method": ("omplexity: high", "at once"),
        }.get(check, ("-", "-"))
        sides = [next((it for it in found if side in it[3]), None) for side in clash]
        evidence = [{"file": it[1], "line": int(it[2])} for it in sides if it is not None]
        is_clash = len(evidence) == len(sides)
        verdict = "fail" if is_clash else "pass"
        return {"check": check, "verdict": verdict, "evidence": evidence, "note": "as written"}


class Lifecycle:
    """Ten tasks and three checkpoints, done by members who write as much as agents do."""

    def __init__(self, changed: Mapping[str, str]) -> None:
        self.judge = Reader()
        self.kernel = Kernel(None, agent=self.judge)
        self.session = SessionId("S1")
        new = NewSession(
            name="S1",
            team="blue",
            pipeline="full-lifecycle",
            requirement="A small shop.",
            folder=FOLDER,
        )
        open_session(self.desk, new, ADA)
        for task in FilePipelines().find("full-lifecycle").begun(supervision=True):
            wanted = NewTask(task=task.task, subject=task.subject, owner=task.owner)
            Tasks(self.desk, self.session, BOSS).add(wanted)
        self.texts = {**{task: text for task, (_, text) in DOCUMENTS.items()}, **changed}
        definition = resident(has_judge=True)
        self.run: RunId = self.kernel.submit(definition, driver=CheckpointDriver.name)
        self.kernel.drive(self.run)

    @property
    def desk(self) -> SessionDesk:
        return desk_of(self.kernel.world)

    @property
    def files(self) -> dict[str, bytes]:
        return self.kernel.session_files.files.setdefault(FOLDER, {})

    def work(self, task: str) -> None:
        """Let the member of a task do it, and talk about it."""
        role = Member(name=OWNERS[task], role=MemberRole.WORKER)
        own, bus = caller_of(role, via="test"), Bus
        tasks = Tasks(self.desk, self.session, own)
        tasks.update(task, status=TaskStatus.IN_PROGRESS)
        path = DOCUMENTS[task][0] if task in DOCUMENTS else ARTIFACTS[task]
        for part in range(1, PROGRESS + 1):
            words = f"{task}: part {part} of {PROGRESS} is written, nothing stands in the way"
            bus(self.desk, self.session, own).log(Post(kind="progress", summary=words))
        self.files[path] = self.texts.get(task, f"# {task}\n").encode()
        data = {"task_id": task, "status": "task_complete", "ref": path, "key_findings": ["done"]}
        done = Post(kind="state_update", summary=f"{task} is done", data=data)
        bus(self.desk, self.session, own).log(done)
        tasks.update(task, status=TaskStatus.COMPLETED)
        learnt = self.files.get("wisdom/learnings.md", b"").decode()
        self.files["wisdom/learnings.md"] = (learnt or wisdom()).encode() + (
            f"- {task} was easier than planned\n".encode()
        )

    def check(self, task: str, *scope: str) -> None:
        """Ask for a checkpoint, and let it be made."""
        wish = CheckpointWish(task=task, scope=scope or tuple(SCOPES[task]))
        request_checkpoint(self.desk, self.session, BOSS, wish)
        self.kernel.drive(self.run)

    def loaded(self) -> k.ContextLoaded:
        return self.kernel.events(self.run, k.ContextLoaded)[-1]

    def report(self) -> CheckpointReport:
        kept = self.kernel.events(self.run, k.ReportWritten)[-1].report
        report = read_report(self.kernel.world.artifacts.get(kept))
        assert isinstance(report, CheckpointReport)
        return report


def played(changed: Mapping[str, str]) -> Lifecycle:
    """Play a lifecycle up to its third checkpoint."""
    life = Lifecycle(changed)
    for step in PIPELINE[: PIPELINE.index(LAST) + 1]:
        if step in SCOPES:
            life.check(step)
        else:
            life.work(step)
    return life


def read_at_once(changed: Mapping[str, str], last: str = LAST) -> Lifecycle:
    """Let somebody who knows nothing make a checkpoint by loading everything."""
    life = Lifecycle(changed)
    before = [it for it in PIPELINE[: PIPELINE.index(last)] if it not in SCOPES]
    for step in before:
        life.work(step)
    life.check(
        last, *(it for it in before if it in {task for at in SCOPES.values() for task in at})
    )
    return life


@cache
def usual() -> tuple[Lifecycle, Lifecycle]:
    return played({}), read_at_once({})


def test_the_documents_have_the_size_of_real_ones() -> None:
    lines = {task: text.count("\n") for task, (_, text) in DOCUMENTS.items()}
    large = {lines[task] for task in ("DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004")}
    assert min(*large, lines["PLAN-001"]) > 130
    assert sum(lines.values()) > 1_200


def test_the_third_wake_loads_a_fifth_of_everything_at_most() -> None:
    incremental, _ = usual()
    loaded = incremental.loaded()
    assert [it.path for it in loaded.files] == ["plan/plan.md"]
    assert loaded.all_tokens >= FEWER * loaded.tokens


def test_the_third_wake_sends_a_fifth_of_everything_to_the_worker_at_most() -> None:
    incremental, whole = usual()
    assert len(incremental.judge.prompts) == len(SCOPES)
    assert len(whole.judge.prompts) == 1
    assert len(whole.judge.prompts[0]) >= FEWER * len(incremental.judge.prompts[-1])


PLAN: Final = DOCUMENTS["PLAN-001"][1]
STORIES: Final = DOCUMENTS["DRAFT-004"][1]
ARCHITECTURE: Final = DOCUMENTS["DRAFT-003"][1]
CHANGES: Final = {
    "nothing": {},
    "a must-have without a task": {"PLAN-001": PLAN.replace("for REQ-003", "for later")},
    "a plan without decisions": {"PLAN-001": PLAN.replace(", as ADR-", ", as before ")},
    "a circle": {"PLAN-001": PLAN.replace("- TASK-1: ", "- TASK-1: after TASK-9: ")},
    "too complex": {
        "PLAN-001": PLAN.replace("Complexity: medium", "Complexity: high").replace(
            "in parallel, module by module", "all at once"
        )
    },
}
"""What may be wrong at the third checkpoint, beside what was read before it."""


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
def test_no_verdict_of_the_third_checkpoint_changes_by_loading_less(
    changed: Mapping[str, str],
) -> None:
    less, all_ = usual() if not changed else (played(changed), read_at_once(changed))
    assert verdicts(less) == verdicts(all_)
    is_fine = set(verdicts(less).values()) <= {"pass", "undecided"}
    assert is_fine == (not changed)


def verdicts(life: Lifecycle) -> dict[str, str]:
    return {it.check: it.verdict.value for it in life.report().results}


EARLIER: Final = {
    "a component without a story": STORIES.replace("(C7)", "").replace("REQ-007", "REQ-006"),
    "a word that is not to be used": f"{STORIES}\nThe client pays.\n",
}


@pytest.mark.parametrize("stories", EARLIER.values(), ids=EARLIER)
def test_no_verdict_of_the_second_checkpoint_changes_either(stories: str) -> None:
    """What the stories and decisions are held against comes from what is remembered."""
    clash = ARCHITECTURE.replace(
        "ADR-1: Payments go through one", "ADR-1: Pay through two providers"
    )
    changed = {"DRAFT-003": clash, "DRAFT-004": stories}
    less = Lifecycle(changed)
    for step in PIPELINE[: PIPELINE.index("CHECKPOINT-002") + 1]:
        if step in SCOPES:
            less.check(step)
        else:
            less.work(step)
    assert [it.path for it in less.loaded().files] == ["spec/architecture.md", "spec/epics.md"]
    all_ = read_at_once(changed, "CHECKPOINT-002")
    assert verdicts(less) == verdicts(all_)
    assert verdicts(less)["decision_chain"] == "fail"
