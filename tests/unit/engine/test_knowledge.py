"""What a worker is told of the knowledge store, and what is recorded of it."""

from tests.support.kernel import Kernel, flow, work

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import KnowledgeStatus
from supervisor_ai.domain.knowledge.selection import (
    InjectedItem,
    InjectedKnowledge,
    KnowledgePlan,
    StoreName,
)
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.knowledge import KnowledgeHit, KnowledgeRequest, NoKnowledge

TOLD = InjectedItem(
    path="conventions/errors.md",
    store=StoreName.PROJECT,
    title="Errors",
    status=KnowledgeStatus.ESTABLISHED,
    is_shown=True,
    tokens=7,
    reason="a convention in force",
    fingerprint="f1",
)
LEFT_OUT = replace(TOLD, path="design/x.md", is_shown=False, reason="nothing in it fits the work")


class OneDocument:
    """A shelf that tells everybody the same, and remembers who asked."""

    def __init__(self, *items: InjectedItem) -> None:
        self.items = items
        self.requests: list[KnowledgeRequest] = []

    async def select(self, request: KnowledgeRequest) -> InjectedKnowledge:
        self.requests.append(request)
        text = "## PROJECT KNOWLEDGE\nRaise ToolError." if self.items else ""
        budget = request.plan.budget
        return InjectedKnowledge(text=text, tokens=7, budget=budget, items=self.items)

    def search(self, commit: CommitSha, words: str, *, most: int) -> tuple[KnowledgeHit, ...]:
        return NoKnowledge().search(commit, words, most=most)


def asking(plan: KnowledgePlan | None) -> Definition:
    given = flow(work("plan", AnswerKind.PLAN))
    role = replace(given.roles[AnswerKind.PLAN], knowledge=plan, hides=("secret/",))
    return replace(given, roles={**given.roles, AnswerKind.PLAN: role})


def driven(
    shelf: OneDocument, plan: KnowledgePlan | None
) -> tuple[Kernel, list[e.KnowledgeInjected]]:
    kernel = Kernel(None)
    run = kernel.submit(asking(plan))
    ended = kernel.drive(run, world=replace(kernel.world, knowledge=shelf))
    assert ended.status is RunStatus.COMPLETED
    return kernel, list(kernel.events(run, e.KnowledgeInjected))


def test_a_role_that_asks_is_told_and_that_is_recorded() -> None:
    shelf = OneDocument(TOLD, LEFT_OUT)
    kernel, (told,) = driven(shelf, KnowledgePlan(budget=900))
    assert "Raise ToolError." in kernel.fakes.worker.requests[-1].prompt
    assert told.documents == (e.ToldDocument(path=TOLD.path, fingerprint="f1"),)
    assert (told.tokens, told.budget, told.attempt) == (7, 900, 1)
    record = kernel.world.documents.load(told.record, InjectedKnowledge)
    assert record.text == ""
    assert record.items == (TOLD, LEFT_OUT)
    (request,) = shelf.requests
    assert request.hides == ("secret/",)
    assert request.task


def test_the_store_is_that_of_the_commit_at_which_the_run_began() -> None:
    shelf = OneDocument(TOLD)
    kernel, _ = driven(shelf, KnowledgePlan())
    (submitted,) = kernel.events(kernel.fakes.worker.requests[-1].run, e.RunSubmitted)
    assert submitted.base is not None
    assert shelf.requests[0].commit == submitted.base.sha


def test_who_does_not_ask_is_told_nothing() -> None:
    shelf = OneDocument(TOLD)
    kernel, told = driven(shelf, None)
    assert "PROJECT KNOWLEDGE" not in kernel.fakes.worker.requests[-1].prompt
    assert (told, shelf.requests) == ([], [])


def test_an_empty_store_leaves_no_record() -> None:
    _, told = driven(OneDocument(), KnowledgePlan())
    assert told == []


def test_a_world_in_which_nothing_is_known() -> None:
    kernel = Kernel(None)
    run = kernel.submit(asking(KnowledgePlan()))
    assert kernel.drive(run).status is RunStatus.COMPLETED
    assert kernel.events(run, e.KnowledgeInjected) == []
    assert NoKnowledge().search(CommitSha("x"), "y", most=1) == ()
