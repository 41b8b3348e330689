"""How the output of one agent CLI is read: its stream, its usage and how it ended."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from supervisor_ai.workers.output.causes import Table, Testimony
from supervisor_ai.workers.output.evidence import AgentConclusion, ProcessEvidence
from supervisor_ai.workers.output.judgement import judge
from supervisor_ai.workers.output.records import JsonRecord, parse_all
from supervisor_ai.workers.output.streams import Observe, Overhear, Reader, deaf

Testify = Callable[[Sequence[JsonRecord], ProcessEvidence], Testimony]


class CliDialect(Struct, frozen=True, kw_only=True):
    """How one command tells what it does and how it ended."""

    observe: Observe
    testify: Testify
    table: Table
    overhear: Overhear = deaf
    adds_usage: bool = False
    fills_schema: bool = False
    """Whether its result holds the answer to a schema apart from the words."""

    def reader(self) -> Reader:
        """Return a reader for one process."""
        return Reader(observe=self.observe, overhear=self.overhear, adds_usage=self.adds_usage)

    def conclude(self, evidence: ProcessEvidence) -> AgentConclusion:
        """Judge a process that has ended."""
        records = tuple(filter(_is_of_a_stream, parse_all(evidence.stdout)))
        return judge(self.testify(records, evidence), evidence, self.table)


def _is_of_a_stream(record: JsonRecord) -> bool:
    """Tell records from JSON in an answer that was printed as plain words."""
    return bool(record.text("type")) or "response" in record.fields
