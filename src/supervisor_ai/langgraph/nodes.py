"""The nodes of the loop: the decisions of our own driver, on a graph's state and a user's ports."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import book as b
from supervisor_ai.drivers.loop.answers import WorkAnswer, read_answer
from supervisor_ai.drivers.loop.decisions.marks import ending_of
from supervisor_ai.drivers.loop.decisions.outcomes import (
    after_supervisors,
    assessment_word,
    drops_of_end,
    drops_of_polish,
    failure_of,
    polish_word,
)
from supervisor_ai.drivers.loop.events import (
    AssessmentTaken,
    QaTaken,
    ScopeTaken,
    SetbackSource,
    TaskOutcome,
    TaskPlanned,
    WorkTaken,
)
from supervisor_ai.drivers.loop.kinds import (
    AssessmentVerdict,
    LoopNode,
    PlannerAction,
    QaVerdict,
    WorkStatus,
)
from supervisor_ai.drivers.loop.performers.takers import (
    Taking,
    missing_files,
    reported_files,
    take_assessment,
    take_plan,
    take_qa,
    take_scope,
)
from supervisor_ai.drivers.loop.report import write_report
from supervisor_ai.drivers.loop.routes import LoopPhase, NodeOutcome
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.langgraph.calls import Calls, PortCall
from supervisor_ai.langgraph.ports import CommitRequest, GraphPorts, WorkCheck
from supervisor_ai.langgraph.questions import NoAnswer, RoleDesk, TakenAnswer
from supervisor_ai.langgraph.state import LoopGraphState, kept, read
from supervisor_ai.langgraph.supervision import SupervisorOffice
from supervisor_ai.langgraph.turn import GraphTurn, begin
from supervisor_ai.tools.json_value import parse_object

State = Mapping[str, Any]
Update = Calls[LoopGraphState]
_UNDONE: Final = frozenset({WorkStatus.FAILED, WorkStatus.BLOCKED})


class LoopNodes(Struct, frozen=True, kw_only=True):
    """Each node asks for calls to ports, and returns what changes in the state."""

    ports: GraphPorts
    rules: LoopRules
    roles: RoleDesk
    office: SupervisorOffice

    def scope_agent(self, state: State) -> Update:
        """Make a remit and milestones of what the user wants."""
        request = state.get("request")
        if not isinstance(request, str) or not request.strip():
            raise InvalidInput(
                "The graph has nothing to work on.",
                hint='Say what you want: graph.invoke({"request": "…"})',
            )
        turn = self._come(LoopNode.SCOPE_AGENT, state)
        taken = yield from self.roles.asked(turn, take_scope, request)
        match taken:
            case TakenAnswer(fact=ScopeTaken() as fact):
                scoped = turn.now(b.scoped(turn.book, fact)).left(NodeOutcome.SCOPED)
                scoped["status"], scoped["error"] = "running", None
                return scoped
            case _:
                return _failed(turn, taken)

    def task_planner(self, state: State) -> Update:
        """Say what is next."""
        turn = self._come(LoopNode.TASK_PLANNER, state)
        taken = yield from self.roles.asked(turn, take_plan)
        match taken:
            case TakenAnswer(given=given, fact=TaskPlanned() as fact):
                turn = turn.answering(fact)
                turn = turn.now(b.planned(turn.book, fact, kept(given.document)))
                return turn.left(fact.action)
            case _:
                return _failed(turn, taken)

    def implementor(self, state: State) -> Update:
        """Do the task, and look without a model whether it is plainly not done."""
        turn = self._come(LoopNode.IMPLEMENTOR, state)
        task = turn.book.task
        turn = turn.now(replace(turn.book, current=replace(task, attempts=task.attempts + 1)))
        taken = yield from self.roles.asked(turn, _reported)
        if not isinstance(taken, TakenAnswer):
            return turn.set_back(SetbackSource.WORKER, taken.wrong)
        given = taken.given
        turn = turn.now(b.worked(turn.book, given.said, kept(given.document)))
        problem = yield from self._missing(given.document)
        if problem:
            return turn.set_back(SetbackSource.FILES, problem)
        if given.said in _UNDONE:
            return turn.set_back(SetbackSource.WORKER, given.notes)
        wrong = yield from self._check(turn, given.document)
        if wrong:
            return turn.set_back(SetbackSource.GATES, wrong)
        return turn.left(NodeOutcome.BUILT)

    def qa(self, state: State) -> Update:
        """Let somebody else look whether the task is done."""
        turn = self._come(LoopNode.QA, state)
        taken = yield from self.roles.asked(turn, take_qa)
        match taken:
            case TakenAnswer(given=given, fact=QaTaken(feedback=feedback)):
                task = replace(turn.book.task, qa=feedback)
                turn = turn.now(replace(turn.book, current=task))
                if given.said == QaVerdict.PASS:
                    return turn.left(NodeOutcome.PASSED)
                return turn.set_back(SetbackSource.QA, feedback)
            case _:
                return _failed(turn, taken)

    def assessor(self, state: State) -> Update:
        """Hold the work against the remit."""
        turn = self._come(LoopNode.ASSESSOR, state)
        taken = yield from self.roles.asked(turn, take_assessment)
        match taken:
            case TakenAnswer(given=given, fact=AssessmentTaken() as fact):
                verdict = AssessmentVerdict(given.said)
                turn = turn.now(b.assessed(turn.book, fact, verdict, kept(given.document)))
                return turn.left(assessment_word(turn.book, verdict))
            case _:
                return _failed(turn, taken)

    def mark_complete(self, state: State) -> Update:
        """Keep the work of a task, and mark it."""
        turn = self._come(LoopNode.MARK_COMPLETE, state)
        task = turn.book.task
        if turn.book.task_planner_action is PlannerAction.SKIP:
            return turn.marked(TaskOutcome.SKIPPED, None)
        commit: object = None
        if self.ports.commit is not None:
            request = CommitRequest(
                number=task.number, task=task.text, work=_document(task.work or "")
            )
            commit = yield PortCall(port=self.ports.commit, argument=request)
        return turn.marked(TaskOutcome.DONE, None if commit is None else str(commit))

    def mark_failed(self, state: State) -> Update:
        """Give a task up."""
        turn = self._come(LoopNode.MARK_FAILED, state)
        yield from ()
        return turn.marked(failure_of(turn.book), None)

    def run_supervisors(self, state: State) -> Update:
        """Let the quality supervisors look whose turn it is."""
        turn = begin(LoopNode.RUN_SUPERVISORS, state, self.rules)
        turn = yield from self.office.looks(turn)
        before = LoopNode(state.get("before_supervisors") or LoopNode.MARK_COMPLETE)
        return turn.gone_to(after_supervisors(before, turn.book, self.rules))

    def polish(self, state: State) -> Update:
        """Work off the cleanup that is left, as far as that is bounded; then drop the rest."""
        turn = begin(LoopNode.POLISH, state, self.rules)
        yield from ()
        turn = turn.now(replace(turn.book, phase=LoopPhase.POLISH))
        word = polish_word(turn.book, self.rules)
        drops = () if word is NodeOutcome.LEFT else drops_of_polish(turn.book)
        return turn.dropping(drops).left(word)

    def report(self, state: State) -> Update:
        """Write down what the work came to, and end."""
        turn = self._come(LoopNode.REPORT, state)
        yield from ()
        report, ending = write_report(turn.book, read), ending_of(turn.book, self.rules)
        ended = turn.dropping(drops_of_end(turn.book)).ended()
        is_done = ending.status is RunStatus.COMPLETED
        ended["work_report"] = report
        ended["status"] = ending.status.value
        ended["error"] = None if is_done else ending.outcome.reason
        return ended

    def _come(self, node: LoopNode, state: State) -> GraphTurn:
        return begin(node, state, self.rules).swept()

    def _missing(self, document: str) -> Calls[str]:
        """Hold what an implementor reports against the files, without a model."""
        if self.ports.sizes is None:
            return ""
        answer = read_answer(document, WorkAnswer) or WorkAnswer()
        found = yield PortCall(port=self.ports.sizes, argument=reported_files(answer))
        return missing_files(answer, found if isinstance(found, Mapping) else {})

    def _check(self, turn: GraphTurn, document: str) -> Calls[str]:
        if self.ports.check is None:
            return ""
        request = WorkCheck(task=turn.book.task.text, work=_document(document))
        found = yield PortCall(port=self.ports.check, argument=request)
        return "" if found is None else str(found)


def _reported(taking: Taking) -> WorkTaken:
    """Take every report in; what it is worth is found out without the model."""
    return WorkTaken(**taking.at)


def _failed(turn: GraphTurn, taken: TakenAnswer | NoAnswer) -> LoopGraphState:
    """End with what is done: nobody loses a complete remit because cleanup did not go well."""
    if turn.book.phase is LoopPhase.POLISH:
        return turn.gone_to(LoopNode.REPORT)
    return turn.stopped(taken.reason if isinstance(taken, NoAnswer) else "")


def _document(text: str) -> Mapping[str, object]:
    return parse_object(text) or {}
