"""The commands whose output can be read, by their names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from supervisor_ai.workers.clis import claude, codex, gemini, opencode, qwen
from supervisor_ai.workers.clis.causes import Table, Testimony
from supervisor_ai.workers.clis.evidence import Conclusion, Evidence
from supervisor_ai.workers.clis.judgement import judge
from supervisor_ai.workers.clis.records import Record, parse_all
from supervisor_ai.workers.clis.streams import Observe, Overhear, Reader, deaf

Testify = Callable[[Sequence[Record], Evidence], Testimony]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one command tells what it does and how it ended."""

    name: str
    observe: Observe
    testify: Testify
    table: Table
    overhear: Overhear = deaf
    adds_usage: bool = False

    def reader(self) -> Reader:
        """Return a reader for one process."""
        return Reader(observe=self.observe, overhear=self.overhear, adds_usage=self.adds_usage)

    def conclude(self, evidence: Evidence) -> Conclusion:
        """Judge a process that has ended."""
        records = tuple(filter(_is_of_a_stream, parse_all(evidence.stdout)))
        return judge(self.testify(records, evidence), evidence, self.table)


def _is_of_a_stream(record: Record) -> bool:
    """Tell records from JSON in an answer that was printed as plain words."""
    return bool(record.text("type")) or "response" in record.fields


_CLAUDE: Final = Dialect(
    name="claude", observe=claude.observe, testify=claude.testify, table=claude.TABLE
)
_CODEX: Final = Dialect(
    name="codex", observe=codex.observe, testify=codex.testify, table=codex.TABLE
)
_GEMINI: Final = Dialect(
    name="gemini",
    observe=gemini.observe,
    testify=gemini.testify,
    table=gemini.TABLE,
    overhear=gemini.overhear,
)
_OPENCODE: Final = Dialect(
    name="opencode",
    observe=opencode.observe,
    testify=opencode.testify,
    table=opencode.TABLE,
    adds_usage=True,
)
_QWEN: Final = Dialect(name="qwen", observe=qwen.observe, testify=qwen.testify, table=qwen.TABLE)

DIALECTS: Final[Mapping[str, Dialect]] = {
    dialect.name: dialect for dialect in (_CLAUDE, _CODEX, _GEMINI, _OPENCODE, _QWEN)
}

SCHEMA_DIALECTS: Final = (_CLAUDE.name, _QWEN.name)
"""Those whose result holds the answer to a schema apart from the words."""
