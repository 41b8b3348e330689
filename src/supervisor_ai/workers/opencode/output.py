"""What opencode prints with `run --format json`, and what it means."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.engine.ports.workers import Observation, UsageSeen
from supervisor_ai.workers.output.causes import (
    AUTH,
    CRASH,
    NETWORK,
    OUT_OF_TURNS,
    REFUSED,
    SETUP,
    TOO_LARGE,
    AgentFault,
    Phrase,
    Table,
    Testimony,
    total,
    usage,
)
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.output.observations import called, finished, said, started
from supervisor_ai.workers.output.records import JsonRecord, with_fence

TABLE: Final = Table(
    codes={
        "ProviderAuthError": AUTH,
        "ProviderModelNotFoundError": SETUP,
        "ContextOverflowError": TOO_LARGE,
        "MessageOutputLengthError": OUT_OF_TURNS,
        "MessageAbortedError": CRASH,
        "length": OUT_OF_TURNS,
        "content-filter": REFUSED,
    },
    phrases=(Phrase(r"unable to connect|connection", NETWORK),),
)


def observe(record: JsonRecord) -> Iterator[Observation]:
    """Say what one record shows."""
    part = record.record("part")
    match record.text("type"):
        case "step_start":
            yield started(record.text("sessionID"))
        case "text":
            yield from said(part.text("text"))
        case "tool_use":
            yield called(part.text("tool"), part.record("state", "input"))
        case "step_finish" if part.text("reason") == "tool-calls":
            yield UsageSeen(usage=_spent([record]))
        case "step_finish":
            yield from finished(part.text("reason"), _spent([record]))
        case "error":
            yield from finished(record.text("error", "data", "message"), _spent([]))
        case _:
            pass


def testify(records: Sequence[JsonRecord], evidence: ProcessEvidence) -> Testimony:
    """Put all records together."""
    del evidence
    steps = [it for it in records if it.text("type") == "step_finish"]
    last = records[-1] if records else JsonRecord({})
    has_ended = last.text("type") == "step_finish" and last.text("part", "reason") != "tool-calls"
    errors = [it for it in records if it.text("type") == "error"]
    # It goes on after some of its errors; one that it got over is none.
    error = errors[-1] if errors and not has_ended else None
    return Testimony(
        ending="the last step_finish record" if has_ended else None,
        fault=_fault(error) if error else _cut_short(last) if has_ended else None,
        text=with_fence(_answer(records)),
        usage=_spent(steps),
        session=next(filter(None, (it.text("sessionID") for it in records)), None),
        num_turns=len(steps) or None,
        has_records=bool(records),
    )


def _fault(record: JsonRecord) -> AgentFault:
    error = record.record("error")
    details = error.record("data")
    return AgentFault(
        message=details.text("message") or error.text("name") or "it says no more",
        source="the error record",
        codes=(error.text("name"),),
        status=details.count("statusCode") or None,
        hints=json.dumps(details.at("responseHeaders")) + details.text("responseBody"),
    )


def _cut_short(last: JsonRecord) -> AgentFault | None:
    reason = last.text("part", "reason")
    if reason == "stop":
        return None
    source = "the last step_finish record"
    return AgentFault(message=f"It stopped because of {reason!r}.", source=source, codes=(reason,))


def _answer(records: Sequence[JsonRecord]) -> str:
    """Join what the last message says."""
    parts = [it.record("part") for it in records if it.text("type") == "text"]
    last = parts[-1].text("messageID") if parts else ""
    return "\n".join(it.text("text") for it in parts if it.text("messageID") == last)


def _spent(steps: Sequence[JsonRecord]) -> Usage:
    return total(_of_step(it.record("part")) for it in steps)


def _of_step(part: JsonRecord) -> Usage:
    tokens = part.record("tokens")
    read, written = tokens.count("cache", "read"), tokens.count("cache", "write")
    return usage(
        tokens_in=tokens.count("input") + read + written,
        tokens_out=tokens.count("output") + tokens.count("reasoning"),
        cache_read=read,
        cache_write=written,
        cost=part.money("cost"),
    )
