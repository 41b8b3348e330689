"""Steps with several reviewers, driven to their end."""

from collections.abc import Mapping

from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition, Limits, Role
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

BUILD, REVIEW = StepName("build"), StepName("review")


OK = FakeReply(output=says(AnswerKind.REVIEW))
NO = FakeReply(output=says(AnswerKind.REVIEW, "CHANGES_REQUESTED"))
GONE = FakeReply(
    diagnosis=Diagnosis(message="Gone.", category=FailureCategory.AUTH, action=Action.FAIL_OVER)
)


BUILT = FakeReply(output=says(AnswerKind.IMPLEMENTATION))


class Reviewers:
    """Answers for each role what a table says, one answer after the other."""

    def __init__(self, answers: Mapping[str, list[FakeReply]]) -> None:
        self._answers = {role: list(replies) for role, replies in answers.items()}

    def __call__(self, request: WorkerRequest) -> FakeReply:
        replies = self._answers.get(request.role)
        if replies is None:
            return BUILT
        return replies.pop(0) if len(replies) > 1 else replies[0]


def crew(*names: str, needed: int | None = None, **changes: object) -> Definition:
    review = replace(
        work("review", AnswerKind.REVIEW),
        role=None,
        roles=names,
        needed=needed,
        on_reject=BUILD,
        **changes,  # type: ignore[arg-type]
    )
    plain = flow(work("build"), review, limits=Limits(step_max_retries=1))
    judge = plain.roles[AnswerKind.REVIEW]
    judges = {name: replace(judge, name=name) for name in names}
    return replace(plain, roles={**plain.roles, **judges})


def optional(given: Definition, name: str) -> Definition:
    role: Role = replace(given.roles[name], is_optional=True)
    return replace(given, roles={**given.roles, name: role})


def driven(given: Definition, **answers: list[FakeReply]) -> tuple[Kernel, RunId]:
    kernel = Kernel(None, Reviewers(answers))
    run = kernel.submit(given)
    kernel.drive(run)
    return kernel, run
