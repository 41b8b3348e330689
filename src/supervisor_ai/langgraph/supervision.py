"""The quality supervisors in a graph: who looks, what they are told, and what is kept of it."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.bootstrap.graphs import GraphKnowledge, GraphParts
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop import book as b
from supervisor_ai.drivers.loop import briefs
from supervisor_ai.drivers.loop.briefs import BriefWriter
from supervisor_ai.drivers.loop.kinds import LoopNode
from supervisor_ai.drivers.loop.sentences import look_sentence
from supervisor_ai.drivers.quality.events import AnswerTaken, SupervisorRan
from supervisor_ai.drivers.quality.findings import read_findings
from supervisor_ai.drivers.quality.kinds import OF_DESIGN, OF_KNOWLEDGE, OF_STYLE
from supervisor_ai.drivers.quality.look import (
    Look,
    LookPens,
    findings_taken,
    for_digest,
    own_documents,
    told_look_text,
)
from supervisor_ai.drivers.quality.look_facts import (
    BAD_FORM,
    NOT_NOW,
    LookPlace,
    missed_look,
    told_look,
)
from supervisor_ai.drivers.quality.ports import Files, SettledKnowledge, WrittenKnowledge
from supervisor_ai.drivers.quality.supervisors import RunOutcome, SupervisorSpec
from supervisor_ai.drivers.quality.urgency import CALM
from supervisor_ai.langgraph.calls import Calls, PortCall, Unanswered
from supervisor_ai.langgraph.ports import LookRequest, SupervisorReply
from supervisor_ai.langgraph.state import kept, read
from supervisor_ai.langgraph.turn import GraphTurn

_KINDS: Final[Mapping[str, AnswerWord]] = {
    "code_style": OF_STYLE,
    "design": OF_DESIGN,
    "internaliser": OF_KNOWLEDGE,
}
_STEP: Final = StepName(LoopNode.RUN_SUPERVISORS)
_TAKEN: Final = AnswerTaken(step=_STEP, visit=0, slot=1, attempt=1)
_MOST_FILES: Final = 100
_MOST_BYTES: Final = 1 << 16

Tell = Callable[[Mapping[str, object]], object]
"""Says something to whoever follows the graph's stream."""


class SupervisorOffice(Struct, frozen=True, kw_only=True):
    """Lets supervisors look, one after the other."""

    ask: Callable[[LookRequest], object]
    knowledge: GraphKnowledge
    parts: GraphParts
    tell: Tell

    def looks(self, turn: GraphTurn) -> Calls[GraphTurn]:
        """Let everybody look whose turn it is; urgency is over then."""
        for spec in turn.book.roster.due(turn.book.supervisor_urgency):
            turn = turn.swept()
            fact = yield from self._look(spec, turn.book)
            turn = turn.now(b.looked(turn.book, fact))
            told = {"supervisor": spec.name, "says": look_sentence(fact)}
            yield PortCall(port=self.tell, argument=told)
        turn = turn.swept()
        return turn.now(replace(turn.book, supervisor_urgency=CALM))

    def _look(self, spec: SupervisorSpec, book: b.LoopBook) -> Calls[SupervisorRan]:
        if spec.lacks:
            return missed_look(_place(book), spec, RunOutcome.UNAVAILABLE, spec.lacks)
        before = self.knowledge.read()
        look = _look_of(spec, book)
        is_first = self.parts.books.is_empty(before, spec.owns)
        digest = self.parts.books.digest(before, most=for_digest(look))
        kind = _KINDS.get(spec.name, OF_STYLE)
        request = LookRequest(
            role=spec.role,
            sections=tuple(it for it in told_look_text(look, digest, is_first=is_first) if it[1]),
            schema=self.parts.schema(kind),
            title=spec.title,
            owns=spec.owns,
        )
        reply = yield PortCall(port=self.ask, argument=request, is_guarded=True)
        if isinstance(reply, Unanswered):
            reason = f"{NOT_NOW} ({reply.reason})"
            return missed_look(_place(book), spec, RunOutcome.UNAVAILABLE, reason)
        answer = reply.answer if isinstance(reply, SupervisorReply) else reply
        given = self.parts.read(kind, answer)
        if given.problem:
            return missed_look(_place(book), spec, RunOutcome.DISCARDED, BAD_FORM)
        document = self.parts.redact(given.document)
        settled = self._settle(look, before, _files(reply), document)
        taken = findings_taken(
            _TAKEN,
            read_findings(document),
            settled,
            LookPens(keep=kept, redact=self.parts.redact),
            earlier=read_findings(look.previous or ""),
            is_first=is_first,
        )
        return told_look(_place(book), spec, taken, kept(document))

    def _settle(
        self, look: Look, before: Files, files: Mapping[str, str], document: str
    ) -> SettledKnowledge:
        """Keep of what a supervisor wrote what is its own and has the right form."""
        found = read_findings(document)
        written, others = own_documents(look.spec, {**found.files, **files})
        settled = self.parts.books.settle(
            WrittenKnowledge(
                writer=look.spec.name,
                task=look.task,
                owns=look.spec.owns,
                before=before,
                after={**before, **written},
                items=found.knowledge_items,
            )
        )
        self.knowledge.write(
            {path: text for path, text in settled.files.items() if text is not None}
        )
        return replace(settled, refused=(*settled.refused, *others))


def _place(book: b.LoopBook) -> LookPlace:
    return LookPlace(
        step=_STEP,
        visit=0,
        commit=CommitSha(""),
        roster=book.roster,
        completed=book.completed,
        directives=book.directives,
        pending=book.pending_directives,
    )


def _look_of(spec: SupervisorSpec, book: b.LoopBook) -> Look:
    looks = [it for it in book.supervisor_run_log if it.supervisor == spec.name]
    last = next((it.findings for it in reversed(looks) if it.findings is not None), None)
    writer = BriefWriter(book=book, read=read)
    sections = briefs.fitted(
        writer.sections(*briefs.TOLD_SUPERVISORS), briefs.SUPERVISOR_TOKENS // 2
    )
    return Look(
        spec=spec,
        task=f"task_{book.done_list[-1].task}" if book.done_list else "task_0",
        sections=tuple((it.title, it.text) for it in sections),
        previous=last,
        most=briefs.characters(briefs.SUPERVISOR_TOKENS),
    )


def _files(reply: object) -> dict[str, str]:
    """Return the documents of a reply, as far as anybody can have meant them."""
    if not isinstance(reply, SupervisorReply):
        return {}
    found = ((str(path), text) for path, text in reply.files.items() if isinstance(text, str))
    small = [(path, text) for path, text in found if len(text) <= _MOST_BYTES]
    return dict(small[:_MOST_FILES])
