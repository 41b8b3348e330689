"""What qwen-code prints: records like Claude Code's, with accounts of its own."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import Observation
from supervisor_ai.workers.claude import output as claude_output
from supervisor_ai.workers.output.causes import (
    NETWORK,
    OUT_OF_TURNS,
    UNREADABLE,
    AgentFault,
    Phrase,
    Table,
    Testimony,
    usage,
)
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.output.observations import finished
from supervisor_ai.workers.output.records import JsonRecord

TABLE: Final = Table(
    codes={"error_max_turns": OUT_OF_TURNS, claude_output.UNANSWERED: UNREADABLE},
    exits={53: OUT_OF_TURNS, 55: OUT_OF_TURNS},
    phrases=(Phrase(r"connection error|fetch failed", NETWORK),),
)
_APOLOGY: Final = re.compile(r"\[API Error: (?:(\d{3}) )?(.*)\]\s*\Z", re.DOTALL)
"""An error of the model's service, told as if it were the answer."""


def observe(record: JsonRecord) -> Iterator[Observation]:
    """Say what one record shows."""
    if record.text("type") == "result":
        yield from finished(
            record.text("error", "message") or record.text("subtype"), _spent(record)
        )
    else:
        yield from claude_output.observe(record)


def testify(records: Sequence[JsonRecord], evidence: ProcessEvidence) -> Testimony:
    """Put all records together."""
    told = claude_output.testify(records, evidence)
    if told.ending is None:
        return told
    result = [it for it in records if it.text("type") == "result"][-1]
    return replace(
        told, fault=_fault(told), usage=_spent(result), model=told.model or _model(result)
    )


def _fault(told: Testimony) -> AgentFault | None:
    words = told.fault.message if told.fault else told.text
    if (match := _APOLOGY.match(words)) is None:
        return told.fault
    status = int(match[1]) if match[1] else None
    codes = told.fault.codes if told.fault else ()
    return AgentFault(message=match[2], source="the result record", status=status, codes=codes)


def _spent(result: JsonRecord) -> Usage:
    """Read what the run took; its `input_tokens` include what came from a cache."""
    total = result.record("usage")
    return usage(
        tokens_in=total.count("input_tokens"),
        tokens_out=total.count("output_tokens"),
        cache_read=total.count("cache_read_input_tokens"),
    )


def _model(result: JsonRecord) -> str | None:
    return next((name for name, _ in result.named("stats", "models")), None)
