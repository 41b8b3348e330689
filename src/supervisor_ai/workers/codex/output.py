"""What Codex prints with `exec --json`, and what it means.

A patch that failed or a command that was denied does not make the process fail: the turn went to
its end, and what the work is worth is for the gates to say.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.engine.ports.workers import Observation
from supervisor_ai.workers.output.causes import (
    AUTH,
    NETWORK,
    NO_CREDIT,
    REFUSED,
    SETUP,
    TOO_LARGE,
    USED_UP,
    AgentFault,
    Phrase,
    Table,
    Testimony,
    usage,
)
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.output.observations import called, finished, retried, said, started
from supervisor_ai.workers.output.records import JsonRecord, parse, with_fence

TABLE: Final = Table(
    codes={
        "insufficient_quota": NO_CREDIT,
        "usage_limit_reached": USED_UP,
        "context_length_exceeded": TOO_LARGE,
        "invalid_api_key": AUTH,
    },
    exits={2: SETUP},
    phrases=(
        # It takes an answer that a filter cut off for a broken stream.
        Phrase(r"content_filter", REFUSED),
        Phrase(r"usage limit", USED_UP),
        Phrase(r"quota exceeded|billing", NO_CREDIT),
        Phrase(r"missing environment variable|not logged in|log in", AUTH),
        Phrase(r"ran out of room|context window", TOO_LARGE),
        Phrase(r"at capacity|high demand|stream disconnected|connection failed", NETWORK),
        Phrase(r"idle timeout|error sending request", NETWORK),
        Phrase(r"not inside a trusted directory|output schema file|no rollout found", SETUP),
        Phrase(r"error loading config|no longer supported|no prompt provided", SETUP),
    ),
)
_STATUS: Final = re.compile(r"\b(?:unexpected|last) status:? (\d{3})\b", re.IGNORECASE)
_RETRY: Final = re.compile(r"Reconnecting\.\.\.\s*(?:(\d{1,6})/\d+|waiting)", re.IGNORECASE)
_TOOLS: Final = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search"})
_ENDS: Final = frozenset({"turn.completed", "turn.failed"})


def observe(record: JsonRecord) -> Iterator[Observation]:
    """Say what one record shows."""
    match record.text("type"), record.text("item", "type"):
        case "thread.started", _:
            yield started(record.text("thread_id"))
        case "item.completed", "agent_message":
            yield from said(record.text("item", "text"))
        case "item.started", kind if kind in _TOOLS:
            item = record.record("item")
            yield called(item.text("tool") or kind, _arguments(item))
        case "error", _:
            yield from _retries(record.text("message"))
        case ("turn.completed" | "turn.failed") as kind, _:
            yield from finished(record.text("error", "message") or kind, _spent(record))
        case _:
            pass


def testify(records: Sequence[JsonRecord], evidence: ProcessEvidence) -> Testimony:
    """Put all records together."""
    del evidence
    last = records[-1] if records else JsonRecord({})
    ending = next((it for it in reversed(records) if it.text("type") in _ENDS), JsonRecord({}))
    kind = ending.text("type")
    return Testimony(
        ending=f"the {kind} record" if kind else None,
        fault=_fault(ending.text("error", "message"), kind) if kind == "turn.failed" else None,
        trouble=_fault(last.text("message"), "error") if last.text("type") == "error" else None,
        text=with_fence(_answer(records)),
        usage=_spent(ending),
        session=next(filter(None, (it.text("thread_id") for it in records)), None),
        num_turns=None,
        has_records=bool(records),
    )


def _fault(message: str, kind: str) -> AgentFault:
    """Read a message; one that is a JSON body is what a bad request was answered with."""
    source = f"the {kind} record"
    if (body := parse(message)) is not None:
        code = body.text("error", "code") or body.text("error", "type")
        words = body.text("error", "message") or message
        return AgentFault(message=words, source=source, codes=(code,), status=400, hints=message)
    status = _STATUS.search(message)
    return AgentFault(
        message=message or "it says no more",
        source=source,
        status=int(status[1]) if status else None,
    )


def _answer(records: Sequence[JsonRecord]) -> str:
    items = [it.record("item") for it in records if it.text("type") == "item.completed"]
    words = [item.text("text") for item in items if item.text("type") == "agent_message"]
    return words[-1] if words else ""


def _spent(record: JsonRecord) -> Usage:
    """Read what the turn took; `input_tokens` include what came from a cache."""
    total = record.record("usage")
    return usage(
        tokens_in=total.count("input_tokens"),
        tokens_out=total.count("output_tokens"),
        cache_read=total.count("cached_input_tokens"),
        cache_write=total.count("cache_write_input_tokens"),
    )


def _retries(message: str) -> Iterator[Observation]:
    if match := _RETRY.search(message):
        yield retried(int(match[1] or 0), message)


def _arguments(item: JsonRecord) -> JsonRecord:
    paths = [change.text("path") for change in item.records("changes")]
    return JsonRecord({"path": ", ".join(paths)}) if paths else item
