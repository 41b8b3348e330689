"""What Gemini CLI prints with `-o stream-json` (or `json`), and what it means.

With `json`, errors are a document on stderr. The exit code is often a status of HTTP modulo 256.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import Observation
from supervisor_ai.workers.output.causes import (
    ASTRAY,
    AUTH,
    NETWORK,
    OUT_OF_TURNS,
    RATE,
    REFUSED,
    SETUP,
    TOO_LARGE,
    USED_UP,
    WORDLESS,
    AgentFault,
    Phrase,
    Table,
    Testimony,
    usage,
)
from supervisor_ai.workers.output.evidence import ProcessEvidence
from supervisor_ai.workers.output.observations import called, finished, retried, said, started
from supervisor_ai.workers.output.records import (
    JsonRecord,
    first_document,
    last_document,
    with_fence,
)

_BLOCKED: Final = "BLOCKED"
"""The end of every code for an answer that a filter held back."""
_WORDLESS: Final = "NO_RESPONSE_TEXT"
_NO_WORDS: Final = "empty response with no text or thoughts"
"""How it tells of an empty answer, and of filters that it does not name: PROHIBITED_CONTENT and
BLOCKLIST were seen."""

TABLE: Final = Table(
    codes={
        "FatalTurnLimitedError": OUT_OF_TURNS,
        "FatalAuthenticationError": AUTH,
        "FatalInputError": SETUP,
        "FatalConfigError": SETUP,
        "FatalUntrustedWorkspaceError": SETUP,
        "FatalSandboxError": SETUP,
        "TerminalQuotaError": USED_UP,
        "INVALID_STREAM": NETWORK,
        "NO_FINISH_REASON": NETWORK,
        _WORDLESS: WORDLESS,
        "MALFORMED_FUNCTION_CALL": NETWORK,
        _BLOCKED: REFUSED,
        "LOOP_DETECTED": ASTRAY,
        "INPUT_TRUNCATED": TOO_LARGE,
        "UNAUTHENTICATED": AUTH,
        "PERMISSION_DENIED": AUTH,
        "UNAVAILABLE": NETWORK,
    },
    statuses={429: RATE},
    exit_statuses={
        144: 400,
        145: 401,
        147: 403,
        173: 429,
        244: 500,
        246: 502,
        247: 503,
        248: 504,
        17: 529,
    },
    exits={41: AUTH, 42: SETUP, 44: SETUP, 52: SETUP, 53: OUT_OF_TURNS, 55: SETUP},
    phrases=(
        Phrase(r"response was blocked", REFUSED),
        Phrase(_NO_WORDS, WORDLESS),
        Phrase(r"gemini_api_key|auth method", AUTH),
        Phrase(r"incomplete json segment|fetch failed|stream ended|exception typeerror", NETWORK),
        Phrase(r"model.{0,80}not found|requested entity was not found", SETUP),
        Phrase(r"exhausted your (daily |current )?(quota|capacity)", USED_UP),
    ),
)
_NESTING: Final = 3
_RETRY: Final = re.compile(r"Attempt (\d{1,6}) failed\b[:. ]*(.{0,400})")
_HTTP: Final = range(400, 600)


def observe(record: JsonRecord) -> Iterator[Observation]:
    """Say what one record shows."""
    match record.text("type"):
        case "init":
            yield started(record.text("session_id"), record.text("model"))
        case "message" if record.text("role") == "assistant":
            yield from said(record.text("content"))
        case "tool_use":
            yield called(record.text("tool_name"), record.record("parameters"))
        case "result":
            message = record.text("error", "message") or record.text("status")
            yield from finished(message, _streamed(record))
        case _:
            pass


def overhear(line: str) -> Iterator[Observation]:
    """Say what one line of stderr shows: only there are its retries told."""
    if match := _RETRY.match(line):
        yield retried(int(match[1]), match[2])


def testify(records: Sequence[JsonRecord], evidence: ProcessEvidence) -> Testimony:
    """Put all records together."""
    result = next((it for it in reversed(records) if it.text("type") == "result"), None)
    document = next((it for it in records if "response" in it.fields), None)
    if document is not None:
        return _of_document(document, evidence)
    told = _of_stream(records, result)
    if told.ending is None and (failure := last_document(evidence.stderr)) is not None:
        session = told.session or failure.text("session_id") or None
        where = "the error document on stderr"
        return replace(told, session=session, fault=_fault(failure, where, evidence))
    if result is None or told.fault is not None or told.text.strip():
        return told
    return replace(told, fault=_silence("the result record", result, evidence))


def _of_stream(records: Sequence[JsonRecord], result: JsonRecord | None) -> Testimony:
    init = next((it for it in records if it.text("type") == "init"), JsonRecord({}))
    has_failed = result is not None and result.text("status") != "success"
    return Testimony(
        ending="the result record" if result else None,
        fault=_failure(result, records) if result and has_failed else None,
        text=with_fence(_final_words(records)),
        usage=_streamed(result or JsonRecord({})),
        session=init.text("session_id") or None,
        model=init.text("model") or None,
        has_records=bool(records),
    )


def _of_document(document: JsonRecord, evidence: ProcessEvidence) -> Testimony:
    source = "the response document"
    failed = _fault(document, source) if document.record("error").fields else None
    text = document.text("response")
    silent = None if text.strip() else _silence(source, document, evidence)
    return Testimony(
        ending=source,
        fault=failed or silent,
        text=with_fence(text),
        usage=_documented(document),
        session=document.text("session_id") or None,
        model=_model(document),
        has_records=True,
    )


def _failure(result: JsonRecord, records: Sequence[JsonRecord]) -> AgentFault:
    """Say why it failed; where the result does not, the last complaint before it does."""
    told = _fault(result, "the result record")
    if told is not None:
        return told
    complaint = next((it for it in reversed(records) if it.text("type") == "error"), JsonRecord({}))
    message = complaint.text("message") or "it says no more"
    return AgentFault(message=message, source="the result record", codes=())


def _fault(
    record: JsonRecord, source: str, evidence: ProcessEvidence | None = None
) -> AgentFault | None:
    error = record.record("error")
    if not error.fields:
        return None
    message = error.text("message")
    body = _innermost(message)
    # That a filter held the answer back is told as a broken stream.
    filters = [_BLOCKED for name in _errors(record) if name.endswith(_BLOCKED)]
    silence = [_WORDLESS] if _NO_WORDS in message else []
    codes = [*filters, *silence, error.text("type"), body.text("error", "status")]
    is_terminal = evidence is not None and "TerminalQuotaError" in evidence.stderr
    status = body.count("error", "code") or error.count("code")
    return AgentFault(
        message=body.text("error", "message") or message or "it says no more",
        source=source,
        codes=tuple(filter(None, ["TerminalQuotaError" if is_terminal else "", *codes])),
        status=status if status in _HTTP else None,
        hints=f"{message} {'daily quota' if is_terminal else ''}",
    )


def _innermost(message: str) -> JsonRecord:
    """Unpack the error that an error's message quotes, and the one that this quotes in turn."""
    body = JsonRecord({})
    for _ in range(_NESTING):
        found = first_document(message)
        if found is None or not found.record("error").fields:
            break
        body, message = found, found.text("error", "message")
    return body


def _silence(source: str, record: JsonRecord, evidence: ProcessEvidence) -> AgentFault | None:
    """Find out why it ended well without a word."""
    warnings = record.at("warnings")
    words = " ".join(map(str, warnings)) if isinstance(warnings, list) else ""
    errors = _errors(record)
    if "loop detected" in f"{words} {evidence.stderr}".lower():
        errors.append("LOOP_DETECTED")
    if "stdin input truncated" in evidence.stderr:
        errors.append("INPUT_TRUNCATED")
    if not errors:
        return None
    return AgentFault(
        message=f"It ended without an answer ({', '.join(errors)}). {words}".strip(),
        source=source,
        codes=(*(_BLOCKED for name in errors if name.endswith(_BLOCKED)), *errors),
    )


def _errors(record: JsonRecord) -> list[str]:
    """List the kinds of errors that its requests came to."""
    models = record.named("stats", "models")
    return [name for _, it in models for name in it.record("api", "errorsByType").fields]


def _final_words(records: Sequence[JsonRecord]) -> str:
    """Join what was said after the last use of a tool."""
    spoken = takewhile(lambda it: it.text("type") not in {"tool_use", "tool_result"}, records[::-1])
    words = [it.text("content") for it in spoken if it.text("role") == "assistant"]
    return "".join(reversed(words))


def _streamed(result: JsonRecord) -> Usage:
    total = result.record("stats")
    return usage(
        tokens_in=total.count("input_tokens"),
        tokens_out=total.count("output_tokens"),
        cache_read=total.count("cached"),
    )


def _documented(document: JsonRecord) -> Usage:
    models = [it.record("tokens") for _, it in document.named("stats", "models")]
    return usage(
        tokens_in=sum(it.count("prompt") for it in models),
        tokens_out=sum(it.count("candidates") + it.count("thoughts") for it in models),
        cache_read=sum(it.count("cached") for it in models),
    )


def _model(document: JsonRecord) -> str | None:
    """Name the model that did the work, not one that chose it."""
    models = list(document.named("stats", "models"))
    main = [name for name, it in models if it.record("roles", "main").fields]
    return next(iter([*main, *(name for name, _ in models)]), None)
