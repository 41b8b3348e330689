"""What Claude Code prints with `--output-format stream-json` (or `json`), and what it means."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final

from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import Observation
from supervisor_ai.workers.output.causes import (
    AUTH,
    CRASH,
    NETWORK,
    NO_CREDIT,
    OUT_OF_TURNS,
    REFUSED,
    SETUP,
    SHAPE,
    TOO_LARGE,
    UNREADABLE,
    USED_UP,
    AgentFault,
    Phrase,
    Table,
    Testimony,
    total,
    usage,
)
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.output.observations import called, finished, retried, said, started
from supervisor_ai.workers.output.records import JsonRecord, fenced, with_fence

UNANSWERED: Final = "structured_output_missing"
"""Our own code for a run that was given a schema, ended well and never filled it."""

TABLE: Final = Table(
    codes={
        "connection_failed": NETWORK,
        "max_output_tokens": OUT_OF_TURNS,
        "max_turns": OUT_OF_TURNS,
        "error_max_turns": OUT_OF_TURNS,
        "budget_exhausted": TOO_LARGE,
        "error_max_budget_usd": TOO_LARGE,
        "structured_output_retry_exhausted": SHAPE,
        "error_max_structured_output_retries": SHAPE,
        UNANSWERED: UNREADABLE,
        "aborted_streaming": CRASH,
        "aborted_tools": CRASH,
        "refusal": REFUSED,
        "billing_error": NO_CREDIT,
        "authentication_error": AUTH,
        "authentication_failed": AUTH,
        "permission_error": AUTH,
        "overloaded_error": NETWORK,
        "request_too_large": TOO_LARGE,
        "prompt_too_long": TOO_LARGE,
        "rejected": USED_UP,
    },
    phrases=(
        Phrase(r"--json-schema is not valid|--dangerously-skip-permissions cannot", SETUP),
        Phrase(r"not logged in|please run /login|invalid api key|token has expired", AUTH),
        Phrase(r"prompt is too long|conversation too long", TOO_LARGE),
        Phrase(r"issue with the selected model", SETUP),
        Phrase(r"empty or malformed response|json parse error|connection", NETWORK),
        Phrase(r"violates? our usage policy|safety", REFUSED),
        Phrase(r"already in use|no conversation", SETUP),
    ),
)
_LIMIT_EVENT: Final = "rate_limit_event"
_ANSWER_TOOLS: Final = ("StructuredOutput", "structured_output")
_ANSWERS: Final = ("structured_output", "structured_result")


def observe(record: JsonRecord) -> Iterator[Observation]:
    """Say what one record shows."""
    match record.text("type"), record.text("subtype"):
        case "system", "init":
            yield started(record.text("session_id"), record.text("model"))
        case "system", "api_retry":
            reason = f"{record.text('error') or 'error'} ({record.count('error_status') or '-'})"
            delay = timedelta(milliseconds=min(record.count("retry_delay_ms"), 10**9))
            yield retried(record.count("attempt"), reason, delay)
        case "assistant", _:
            yield from _parts(record)
        case "result", subtype:
            yield from finished(_complaint(record) or subtype, spent(record))
        case _:
            pass


def testify(records: Sequence[JsonRecord], evidence: ProcessEvidence) -> Testimony:
    """Put all records together."""
    result = next((it for it in reversed(records) if it.text("type") == "result"), JsonRecord({}))
    init = next((it for it in records if it.text("subtype") == "init"), JsonRecord({}))
    has_ended = bool(result.fields)
    return Testimony(
        ending="the result record" if has_ended else None,
        fault=_fault(result, records) or _omission(result, init, evidence) if has_ended else None,
        trouble=None if has_ended else _trouble(records),
        text=_text(result) if has_ended else _last_words(records),
        usage=spent(result) if has_ended else _so_far(records),
        session=next(filter(None, (it.text("session_id") for it in records)), None),
        model=_model(result) or init.text("model") or None,
        num_turns=result.count("num_turns") or None,
        has_records=bool(records),
    )


def spent(result: JsonRecord) -> Usage:
    """Read what the whole run took; the totals of the models are complete, `usage` may not be."""
    models = [it for _, it in result.named("modelUsage")]
    if not models:
        return replace(_of_usage(result.record("usage")), cost=result.money("total_cost_usd"))
    # A price that the command does not know is no account of its own.
    is_guess = any(it.text("costBasis") == "unknown" for it in models)
    return replace(total(map(_of_model, models)), cost=_cost(result, models), estimated=is_guess)


def _of_model(record: JsonRecord) -> Usage:
    read, written = record.count("cacheReadInputTokens"), record.count("cacheCreationInputTokens")
    return usage(
        tokens_in=record.count("inputTokens") + read + written,
        tokens_out=record.count("outputTokens"),
        cache_read=read,
        cache_write=written,
    )


def _cost(result: JsonRecord, models: Sequence[JsonRecord]) -> Decimal:
    told = result.money("total_cost_usd")
    return told or sum((model.money("costUSD") for model in models), Decimal(0))


def _of_usage(record: JsonRecord) -> Usage:
    read = record.count("cache_read_input_tokens")
    written = record.count("cache_creation_input_tokens")
    return usage(
        tokens_in=record.count("input_tokens") + read + written,
        tokens_out=record.count("output_tokens"),
        cache_read=read,
        cache_write=written,
    )


def _so_far(records: Sequence[JsonRecord]) -> Usage:
    """Add up what each message took; a run that was ended has no totals, so more may be missing."""
    messages = {
        it.text("message", "id"): _of_usage(it.record("message", "usage"))
        for it in records
        if it.text("type") == "assistant"
    }
    if not messages:
        return NO_USAGE
    return replace(total(messages.values()), estimated=True)


def _parts(record: JsonRecord) -> Iterator[Observation]:
    for part in record.records("message", "content"):
        if part.text("type") == "text":
            yield from said(part.text("text"))
        elif part.text("type") == "tool_use":
            yield called(part.text("name"), part.record("input"))


def _complaint(result: JsonRecord) -> str:
    errors = result.at("errors")
    words = [it for it in errors if isinstance(it, str)] if isinstance(errors, list) else []
    if not _has_failed(result):
        return ""
    return "; ".join(words) or result.text("result") or result.text("error", "message")


def _has_failed(result: JsonRecord) -> bool:
    return result.at("is_error") is not False or result.text("subtype") != "success"


def _fault(result: JsonRecord, records: Sequence[JsonRecord]) -> AgentFault | None:
    if not _has_failed(result):
        return None
    limit = _limit(records)
    codes = [result.text(it) for it in ("api_error", "terminal_reason", "subtype")]
    refusal = ["refusal"] if result.count("safety_stops") else []
    status = result.count("api_error_status") or None
    rejected = [limit.text("status")] if status in {429, None} else []
    return AgentFault(
        message=_complaint(result) or result.text("terminal_reason") or "it says no more",
        source="the result record",
        codes=tuple(filter(None, [*refusal, *codes, *rejected, result.text("api_error_type")])),
        status=status,
        hints=f"resetsAt: {limit.count('resetsAt')}" if limit.count("resetsAt") else "",
    )


def _omission(result: JsonRecord, init: JsonRecord, evidence: ProcessEvidence) -> AgentFault | None:
    """Find out whether it was given a tool for its answer and never used it; it minds that not.

    Only a stream begins with the tools that there are; of other output, whoever started it knows.
    """
    tools = init.at("tools")
    has_tool = isinstance(tools, list) and any(tool in tools for tool in _ANSWER_TOOLS)
    if not (has_tool or evidence.has_schema) or any(
        isinstance(result.at(name), dict) for name in _ANSWERS
    ):
        return None
    return AgentFault(
        message="It ended without the structured answer that it was asked for.",
        source="the result record",
        codes=(UNANSWERED,),
    )


def _limit(records: Sequence[JsonRecord]) -> JsonRecord:
    """Find what the last word about the usage limit is, where it refused a request."""
    events = [it.record("rate_limit_info") for it in records if it.text("type") == _LIMIT_EVENT]
    last = events[-1] if events else JsonRecord({})
    return last if last.text("status") == "rejected" else JsonRecord({})


def _trouble(records: Sequence[JsonRecord]) -> AgentFault | None:
    last = records[-1] if records else JsonRecord({})
    if last.text("subtype") != "api_retry":
        return None
    return AgentFault(
        message=last.text("error") or "a request failed",
        source="the last api_retry record",
        codes=(last.text("error"),),
        status=last.count("error_status") or None,
    )


def _text(result: JsonRecord) -> str:
    for name in _ANSWERS:
        if isinstance(found := result.at(name), dict):
            return fenced(found)
    return with_fence(result.text("result"))


def _last_words(records: Sequence[JsonRecord]) -> str:
    words = [
        part.text("text")
        for it in records
        if it.text("type") == "assistant"
        for part in it.records("message", "content")
    ]
    return next(filter(None, reversed(words)), "")


def _model(result: JsonRecord) -> str:
    models = sorted(result.named("modelUsage"), key=lambda it: it[1].count("outputTokens"))
    return models[-1][0] if models else ""
