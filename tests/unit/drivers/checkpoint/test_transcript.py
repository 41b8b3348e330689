"""A whole session as a transcript: what the coordinator says, and what the supervisor answers."""

import json
from typing import Final

from tests.unit.drivers.checkpoint.reports import GOLDEN
from tests.unit.drivers.checkpoint.session import TEXTS, checks_of, material
from tests.unit.drivers.checkpoint.transcripts import turns

from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator, accumulate, rebuild
from supervisor_ai.drivers.checkpoint.checks.judgement import weigh
from supervisor_ai.drivers.checkpoint.checks.rounds import run_checks
from supervisor_ai.drivers.checkpoint.protocol import replies
from supervisor_ai.drivers.checkpoint.protocol.prompt import SupervisorPrompt, read_prompt
from supervisor_ai.drivers.checkpoint.protocol.requests import (
    CheckpointRequest,
    Incoming,
    MessageProblems,
    read_message,
)
from supervisor_ai.drivers.checkpoint.report import CheckpointReport, ReadArtifact, by_group, render
from supervisor_ai.drivers.checkpoint.score import QualityTrend

TYPES: Final = replies.MessageTypes()


class Supervisor:
    """Answers as the driver does, without a ledger."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.known = Accumulator()
        self.errors = 0
        self.session = ""

    def hear(self, kind: str, words: str) -> replies.Outgoing:
        if kind == "prompt":
            return self._begin(words)
        message = Incoming(sender="coordinator", kind=kind, text=words)
        match read_message(message):
            case CheckpointRequest() as request:
                return self._check(request)
            case MessageProblems() as problems:
                self.errors += 1
                return replies.error(problems.text, self.errors, TYPES)
            case shutdown:
                return replies.shutdown_response(shutdown.request_id)

    def _begin(self, words: str) -> replies.Outgoing:
        prompt = read_prompt(words)
        assert isinstance(prompt, SupervisorPrompt)
        self.session = prompt.session
        if not prompt.recovery:
            return replies.ready(prompt.session_id)
        known = rebuild(self.files.values(), TEXTS, session=self.session)
        assert known == self.known
        return replies.recovered(len(self.known.entries))

    def _check(self, request: CheckpointRequest) -> replies.Outgoing:
        known = self.known.before(request.task)
        new = {path: text for path, text in TEXTS.items() if path not in known.facts}
        wanted = replace(material(new, request.task), scope=request.scope, older=known.facts)
        made = run_checks(wanted, checks_of(request.task))
        results = by_group((*made.results, *weigh(made.questions, None, TEXTS).results))
        report = CheckpointReport(
            task=request.task,
            number=self.known.next_number,
            scope=request.scope,
            results=results,
            trend=QualityTrend.STABLE,
            progress=request.progress,
            artifacts=tuple(
                ReadArtifact(path=path, hash=path, task=it.task)
                for path, it in wanted.artifacts.items()
            ),
        )
        report = replace(report, trend=self.known.trend_of(request.task, report.score))
        self.files[request.task] = render(report)
        self.known = accumulate(self.known, report, made.facts, session=self.session)
        return replies.report(report.summary(self.session), TYPES)


def test_the_transcript_of_a_session_is_what_is_said() -> None:
    supervisor = Supervisor()
    answer: replies.Outgoing | None = None
    for who, kind, words in turns((GOLDEN / "transcript.txt").read_text(encoding="utf-8")):
        if who == "<<":
            answer = supervisor.hear(kind, words)
            continue
        assert answer is not None
        said = json.dumps(answer.fields) if answer.fields else answer.content
        assert (answer.kind, said) == (kind, words)
