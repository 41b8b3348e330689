"""A visit to a node of the graph: the book as it changes, and the state that it leads to."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import book as b
from supervisor_ai.drivers.loop.decisions.outcomes import drops_of_age, next_node, setback_word
from supervisor_ai.drivers.loop.events import (
    SetbackSource,
    TaskMarked,
    TaskOutcome,
    TaskPlanned,
    TaskSetBack,
)
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.routes import NodeOutcome, Word
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.directives import DirectiveResponse, Drop
from supervisor_ai.langgraph.state import LoopGraphState, Row, book_of, kept, loop_fields

END: Final = "end"
"""Where a loop goes that cannot go on."""


class GraphTurn(Struct, frozen=True, kw_only=True):
    """What a visit to a node has come to so far."""

    node: LoopNode
    rules: LoopRules
    book: b.LoopBook
    log: tuple[Row, ...] = ()
    """What became of directives."""

    def now(self, book: b.LoopBook) -> "GraphTurn":
        """Go on with another book."""
        return replace(self, book=book)

    def dropping(self, drops: Iterable[Drop]) -> "GraphTurn":
        """Drop directives that nobody answered, and say so."""
        turn = self
        for it in drops:
            row = {"number": it.number, "became": it.reason.value}
            turn = replace(turn, book=b.dropped(turn.book, it.number), log=(*turn.log, row))
        return turn

    def answering(self, planned: TaskPlanned) -> "GraphTurn":
        """Say what the planner answered to directives; what a task is to do is still open."""
        rows: tuple[Row, ...] = tuple(
            {"number": it.number, "became": it.response.value, "note": it.note or ""}
            for it in planned.answers
            if it.response in {DirectiveResponse.EXPLAINED, DirectiveResponse.ESCALATED}
        )
        return replace(self, log=(*self.log, *rows))

    def swept(self) -> "GraphTurn":
        """Drop what is too old or too much."""
        return self.dropping(drops_of_age(self.book, self.rules))

    def left(self, word: Word) -> LoopGraphState:
        """Leave the node, as the table of the loop's ways says."""
        return self.gone_to(next_node(self.node, word, self.book, self.rules))

    def gone_to(self, target: LoopNode) -> LoopGraphState:
        """Leave the node for another."""
        state = loop_fields(self.book, self.rules)
        state["directive_log"] = list(self.log)
        state["next_node"] = target.value
        if target is LoopNode.RUN_SUPERVISORS:
            state["before_supervisors"] = self.node.value
        return state

    def set_back(self, found_by: SetbackSource, feedback: str) -> LoopGraphState:
        """Let the planner think again about a task that is not done, or give it up."""
        task = self.book.task
        fact = TaskSetBack(
            step=StepName(self.node),
            visit=0,
            task=task.number,
            found_by=found_by,
            feedback=kept(feedback),
        )
        return self.now(b.set_back(self.book, fact)).left(setback_word(task, self.rules))

    def marked(self, outcome: TaskOutcome, commit: str | None) -> LoopGraphState:
        """Put the task among those that are over."""
        task = self.book.task
        fact = TaskMarked(
            step=StepName(self.node),
            visit=0,
            task=task.number,
            outcome=outcome,
            attempts=task.attempts,
            qa_failures=task.failures,
            commit=None if commit is None else CommitSha(commit),
        )
        book = b.marked(self.book, fact)
        left = {it.number for it in book.pending_directives}
        done = [it.number for it in self.book.pending_directives if it.number not in left]
        became = DirectiveResponse.ADDRESSED.value
        rows: tuple[Row, ...] = tuple({"number": it, "became": became, "note": ""} for it in done)
        return replace(self.now(book), log=(*self.log, *rows)).left(NodeOutcome.MARKED)

    def ended(self) -> LoopGraphState:
        """Leave the node for none."""
        state = self.gone_to(self.node)
        state["next_node"] = END
        return state

    def stopped(self, reason: str) -> LoopGraphState:
        """End without a report: a role that everything depends on cannot do its part."""
        state = self.ended()
        state["status"] = "failed"
        state["error"] = reason
        return state


def begin(node: LoopNode, state: Mapping[str, Any], rules: LoopRules) -> GraphTurn:
    """Come to a node."""
    log = tuple(state.get("directive_log") or ())
    return GraphTurn(node=node, rules=rules, book=book_of(state, rules), log=log)
