"""What an assessment shows people, and edits that answer nothing."""

from tests.support.kernel import Kernel, flow, stop, work

from supervisor_ai.domain.ids import CommitSha, LetterKey, RunId, TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    OwnFact,
    RiskLevel,
)
from supervisor_ai.domain.run.approvals.shown_change import ShownChange
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.inbox_commands import EditChange, InboxCommand
from supervisor_ai.domain.run.inbox_replies import answer
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import ApiBreak, ApiChange, ChangeFacts, FactEvidence
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

AUTH = read_condition("changes_auth_code")
assert isinstance(AUTH, RiskCondition)
POLICY = ApprovalPolicy(
    levels=(
        ApprovalLevel(
            level=RiskLevel.HIGH,
            conditions=(AUTH,),
            action=ApprovalAction.REQUIRE_APPROVAL,
            match=ConditionMatch.ANY,
        ),
    ),
    facts={
        "api": OwnFact(paths=("api/**",)),
        "green": OwnFact(gate="test", verdicts=("passed",)),
        "linted": OwnFact(gate="lint", verdicts=("passed",)),
    },
)
KNOWN = ChangeFacts(
    facts=(Fact(name="changes_auth_code", value=True),),
    evidence=(FactEvidence(fact="changes_auth_code", file="a.py", detail="by its path"),),
    breaks=(ApiBreak(file="a.py", symbol="a.f", change=ApiChange.REMOVED, detail="it is gone"),),
)


def build(request: WorkerRequest) -> FakeReply:
    if request.role == AnswerKind.REVIEW:
        return FakeReply(output=says(AnswerKind.REVIEW))
    return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files={"a.py": "1"})


def asked(kernel: Kernel) -> e.ApprovalRequested:
    kernel.fakes.examiner.known = KNOWN
    steps = (work("build"), stop("test", StepKind.GATE), work("review", AnswerKind.REVIEW))
    run = kernel.submit(replace(flow(*steps, stop("commit", StepKind.COMMIT)), approvals=POLICY))
    assert kernel.drive(run).status is RunStatus.WAITING
    [question] = kernel.events(run, e.ApprovalRequested)
    return question


def test_people_are_shown_all_that_speaks_for_and_against_a_change() -> None:
    kernel = Kernel(None, build)
    question = asked(kernel)
    assert question.question is not None
    shown = kernel.world.documents.load(question.question, ShownChange)
    facts = {it.name: it.value for it in shown.facts}
    assert (facts["green"], facts["linted"], facts["test_coverage"]) == (True, None, None)
    assert [(it.file, it.detail) for it in shown.evidence] == [("a.py", "by its path")]
    assert shown.breaks == ("a.py: a.f: it is gone",)
    assert [(it.by, it.said) for it in shown.reviews] == [("review", "APPROVED")]
    assert [(it.gate, it.verdict.value) for it in shown.gates] == [("test", "passed")]
    assert kernel.fakes.examiner.asked_facts[0].own == {"api": ("api/**",)}


def test_an_edit_answers_a_question_about_files_and_no_other() -> None:
    kernel = Kernel(None, build)
    question = asked(kernel)
    first = next(iter(kernel.world.log.read_all()))
    edited = Snapshot(commit=CommitSha("c9"), tree=TreeSha("t9"))
    sent = InboxCommand(
        key=LetterKey("k"),
        run=RunId(first.stream.removeprefix("run:")),
        command=EditChange(
            step=question.step, visit=question.visit, tree=question.tree, edited=edited
        ),
        actor=first.actor,
        sent_at=first.recorded_at,
    )
    run = kernel.play(sent.run).run
    assert isinstance(answer(run, sent), e.ChangeEdited)
    blocked = replace(question, reason=ApprovalReason.BLOCKED)
    other = replace(run, open=dict.fromkeys(run.open, blocked))
    refused = answer(other, sent)
    assert isinstance(refused, e.CommandRefused)
    assert "no edit answers" in refused.reason
