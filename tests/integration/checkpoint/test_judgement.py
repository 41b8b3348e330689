"""A worker judges what text does not decide; what it cites has to be there."""

from tests.support.checkpoint_scene import FOLDER, CheckpointScene, judges, resident
from tests.support.kernel import Kernel

from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply, FakeScript, answering


def made(script: FakeScript, *, has_judge: bool = True) -> tuple[CheckpointScene, RunId]:
    at = CheckpointScene(Kernel(None, agent=script), folder=FOLDER)
    run = at.start(resident(has_judge=has_judge))
    at.write("DRAFT-001")
    at.write("DRAFT-002")
    at.ask()
    at.kernel.drive(run)
    return at, run


def test_a_worker_is_asked_once_with_the_lines_and_believed() -> None:
    prompts: list[str] = []
    answer = judges()

    def remembers(request: WorkerRequest) -> FakeReply:
        prompts.append(request.prompt)
        return answer(request)

    at, run = made(remembers)
    assert "Verdict: pass (score: 1.00)" in at.contents()[-1]
    assert len(prompts) == 1
    assert "- requirements_in_scope: Is there a requirement" in prompts[0]
    assert "spec/product-brief.md:1: " in prompts[0]
    [judged] = at.kernel.events(run, k.ChecksJudged)
    assert judged.questions == 2
    assert judged.brief_tokens > 0
    [weighed] = at.kernel.events(run, k.JudgementsWeighed)
    assert weighed.refuted == 0


def test_an_answer_that_cites_what_is_not_there_is_a_warning() -> None:
    def lies(request: WorkerRequest) -> FakeReply:
        del request
        evidence = [{"file": "spec/requirements.md", "line": 9_999}]
        checks = [
            {"check": check, "verdict": "fail", "evidence": evidence}
            for check in ("requirements_in_scope", "decisions_agree")
        ]
        return FakeReply(output=answering({"status": "JUDGED", "checks": checks}))

    at, run = made(lies)
    assert "the worker cites what is not there" in at.contents()[-1]
    assert at.kernel.events(run, k.JudgementsWeighed)[0].refuted == 2


def test_a_worker_without_an_answer_is_done_without() -> None:
    at, run = made(lambda _: FakeReply(output="I do not know."))
    assert "nobody judged it: " in at.contents()[-1]
    [started] = at.kernel.events(run, k.JudgementStarted)
    assert started.answer is None
    assert started.reason


def test_nobody_waits_for_the_end_of_a_usage_limit() -> None:
    def limited(request: WorkerRequest) -> FakeReply:
        del request
        diagnosis = Diagnosis(
            message="Come back later.",
            category=FailureCategory.LIMIT,
            action=Action.PARK,
        )
        return FakeReply(exit_code=1, diagnosis=diagnosis)

    at, run = made(limited)
    assert "nobody judged it: " in at.contents()[-1]
    assert at.kernel.events(run, e.TimerSet) == []


def test_without_a_worker_nobody_is_asked() -> None:
    at, run = made(judges(), has_judge=False)
    assert at.kernel.events(run, e.AttemptStarted) == []
    assert "nobody judged it: No worker is configured that judges." in at.contents()[-1]
