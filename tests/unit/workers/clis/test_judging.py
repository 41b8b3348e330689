"""Judging what no recording shows: ends by the sandbox, forms of other versions, hostile output."""

import json
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.workers.clis.recorded_lines import RECORDS

from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.ports.sandbox import BEYOND_LIMITS, SandboxEnd
from supervisor_ai.workers.agents import DIALECTS
from supervisor_ai.workers.output.evidence import AgentConclusion, ProcessEvidence

NOW: Final = datetime(2026, 11, 16, 12, tzinfo=UTC)
GOOD: Final[dict[str, dict[str, object]]] = {
    "claude": {"type": "result", "subtype": "success", "is_error": False, "result": "Done."},
    "codex": {"type": "turn.completed", "usage": {}},
    "gemini": {"type": "result", "status": "success"},
    "opencode": {"type": "step_finish", "part": {"reason": "stop"}},
    "qwen": {"type": "result", "subtype": "success", "is_error": False, "result": "Done."},
}
WORDS: Final = {
    "claude": {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
    "codex": {"type": "item.completed", "item": {"type": "agent_message", "text": "Done."}},
    "gemini": {"type": "message", "role": "assistant", "content": "Done."},
    "opencode": {"type": "text", "part": {"text": "Done."}},
    "qwen": {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
}


def judged(
    cli: str,
    *records: object,
    exit_code: int | None = 0,
    stderr: str = "",
    end: SandboxEnd = SandboxEnd.EXITED,
) -> AgentConclusion:
    stdout = "".join(f"{json.dumps(record)}\n" for record in records)
    evidence = ProcessEvidence(exit_code=exit_code, stdout=stdout, stderr=stderr, now=NOW, end=end)
    return DIALECTS[cli].conclude(evidence)


def verdict(found: AgentConclusion) -> tuple[str, str]:
    return found.diagnosis.category or "-", found.diagnosis.action or "-"


@pytest.mark.parametrize("cli", DIALECTS)
class TestSuccessTakesAllOfIt:
    def test_exit_and_record_and_words(self, cli: str) -> None:
        found = judged(cli, WORDS[cli], GOOD[cli])
        assert found.diagnosis.has_succeeded
        assert found.diagnosis.action is None
        assert found.text == "Done."

    @pytest.mark.parametrize("exit_code", [1, -15, None])
    def test_no_good_exit(self, cli: str, exit_code: int | None) -> None:
        found = judged(cli, WORDS[cli], GOOD[cli], exit_code=exit_code)
        assert verdict(found) == ("cli_error", "retry_same")

    def test_no_terminal_record(self, cli: str) -> None:
        assert verdict(judged(cli, WORDS[cli])) == ("cli_error", "retry_same")

    def test_no_words(self, cli: str) -> None:
        record = {**GOOD[cli], "result": " "} if "result" in GOOD[cli] else GOOD[cli]
        assert verdict(judged(cli, record)) == ("parsing", "retry_with_feedback")

    def test_nothing_at_all(self, cli: str) -> None:
        assert verdict(judged(cli)) == ("cli_error", "retry_same")
        assert verdict(judged(cli, exit_code=1)) == ("cli_error", "retry_once")
        assert verdict(judged(cli, exit_code=None)) == ("cli_error", "retry_once")


ENDED: Final = {
    SandboxEnd.TIMED_OUT: "retry_same",
    SandboxEnd.IDLE: "retry_same",
    SandboxEnd.OUTPUT_CAPPED: "fail_over",
    SandboxEnd.LIMIT_EXCEEDED: "escalate",
    SandboxEnd.CUT_OFF: "escalate",
}


@pytest.mark.parametrize("cli", DIALECTS)
@pytest.mark.parametrize("end", ENDED)
def test_what_the_sandbox_had_to_end_wanted_too_much(cli: str, end: SandboxEnd) -> None:
    found = judged(cli, WORDS[cli], GOOD[cli], exit_code=None, end=end)
    assert verdict(found) == ("resource", ENDED[end])
    assert ENDED.keys() == BEYOND_LIMITS
    assert end.value in found.because


def test_what_the_sandbox_had_to_end_keeps_its_last_complaint() -> None:
    trouble = {"type": "error", "message": "Reconnecting... waiting for network"}
    found = judged("codex", trouble, exit_code=None, end=SandboxEnd.IDLE)
    assert found.diagnosis.message == (
        "It was ended: idle. Its last complaint: Reconnecting... waiting for network"
    )


def test_a_missing_command_is_for_a_person() -> None:
    found = judged("claude", exit_code=None, end=SandboxEnd.COMMAND_MISSING)
    assert verdict(found) == ("cli_error", "escalate")
    assert verdict(judged("claude", exit_code=127)) == ("cli_error", "escalate")


def test_every_end_has_its_cause() -> None:
    for end in SandboxEnd:
        assert judged("codex", end=end).diagnosis.category is not None


SIGNALS: Final = [
    (143, "cli_error", "retry_same", 15),
    (-15, "cli_error", "retry_same", 15),
    (130, "cli_error", "retry_same", 2),
    (137, "resource", "retry_once", 9),
    (-9, "resource", "retry_once", 9),
    (139, "cli_error", "retry_same", 11),
]


@pytest.mark.parametrize(("code", "category", "action", "signal"), SIGNALS)
def test_a_killed_process_is_told_from_a_failed_one(
    code: int, category: str, action: str, signal: int
) -> None:
    found = judged("claude", exit_code=code)
    assert verdict(found) == (category, action)
    assert found.diagnosis.message == f"It was killed by signal {signal}."


def claude_error(**fields: object) -> AgentConclusion:
    return judged(
        "claude",
        {"type": "result", "subtype": "success", "is_error": True, **fields},
        exit_code=1,
    )


CLAUDE: Final = [
    (
        {"terminal_reason": "budget_exhausted", "subtype": "error_max_budget_usd"},
        "resource",
        "escalate",
    ),
    ({"terminal_reason": "aborted_streaming"}, "cli_error", "retry_same"),
    ({"safety_stops": 2, "result": "no"}, "logic", "escalate"),
    ({"api_error_status": 403, "result": "forbidden"}, "auth", "fail_over"),
    ({"api_error_status": 413, "result": "large"}, "resource", "escalate"),
    ({"api_error_status": 418, "result": "teapot"}, "cli_error", "escalate"),
    ({"api_error_status": 503, "result": "down"}, "network", "retry_same"),
    ({"api_error_status": 400, "result": "prompt is too long: 9 > 8"}, "resource", "escalate"),
    ({"api_error_status": 400, "result": "Your credit balance is too low"}, "limit", "fail_over"),
    ({"api_error_status": 429, "result": "You've hit your weekly limit"}, "limit", "park"),
    ({"api_error_status": 429, "result": "slow down"}, "limit", "retry_same"),
    ({"result": "OAuth token has expired"}, "auth", "fail_over"),
    ({"result": "something new"}, "cli_error", "retry_once"),
    ({}, "cli_error", "retry_once"),
]


@pytest.mark.parametrize(("fields", "category", "action"), CLAUDE)
def test_errors_of_claude(fields: dict[str, object], category: str, action: str) -> None:
    assert verdict(claude_error(**fields)) == (category, action)


def limit(found: AgentConclusion) -> Diagnosis:
    assert found.diagnosis.category is FailureCategory.LIMIT
    return found.diagnosis


def test_a_limit_with_a_reset_is_waited_for() -> None:
    reset = int(NOW.timestamp()) + 600
    found = limit(claude_error(result=f"Claude AI usage limit reached|{reset}"))
    assert (found.action, found.reset_at) == (Action.PARK, NOW + timedelta(minutes=10))
    found = limit(claude_error(api_error_status=429, result="Try again in 5 minutes"))
    assert (found.action, found.reset_at) == (Action.PARK, NOW + timedelta(minutes=5))


def test_the_reset_of_a_limit_event_counts_where_it_refused() -> None:
    reset = int(NOW.timestamp()) + 600
    event = {
        "type": "rate_limit_event",
        "rate_limit_info": {"status": "rejected", "resetsAt": reset},
    }
    result = {"type": "result", "subtype": "success", "is_error": True, "result": "No."}
    found = limit(judged("claude", event, result, exit_code=1))
    assert (found.action, found.reset_at) == (Action.PARK, NOW + timedelta(minutes=10))
    event["rate_limit_info"] = {"status": "allowed_warning", "resetsAt": reset}
    assert verdict(judged("claude", event, result, exit_code=1)) == ("cli_error", "retry_once")


def test_claude_that_was_killed_while_it_waited_says_for_what() -> None:
    retry = {"type": "system", "subtype": "api_retry", "error_status": 429, "error": "rate_limit"}
    assert verdict(judged("claude", retry, exit_code=143)) == ("limit", "retry_same")


def codex_error(message: str) -> AgentConclusion:
    return judged("codex", {"type": "turn.failed", "error": {"message": message}}, exit_code=1)


CODEX: Final = [
    ("You've hit your usage limit. Try again at Nov 16th, 2026 3:04 PM.", "park", "15:04"),
    ("You've hit your usage limit. Try again in 2 hours 5 minutes.", "park", "14:05"),
    ("You've hit your usage limit.", "park", None),
    ("Quota exceeded. Check your plan and billing details.", "fail_over", None),
    ('{"error": {"message": "no money", "code": "insufficient_quota"}}', "fail_over", None),
    ("exceeded retry limit, last status: 429 Too Many Requests", "retry_same", None),
]


@pytest.mark.parametrize(("message", "action", "reset"), CODEX)
def test_limits_of_codex(message: str, action: str, reset: str | None) -> None:
    found = limit(codex_error(message))
    assert found.action == action
    assert (found.reset_at and f"{found.reset_at:%H:%M}") == reset


def gemini_error(error: dict[str, object], *, exit_code: int, stderr: str = "") -> AgentConclusion:
    document = json.dumps({"session_id": "s", "error": error}, indent=2)
    return judged("gemini", exit_code=exit_code, stderr=f"noise\n{stderr}\n{document}\n")


def test_a_daily_quota_of_gemini_ends_at_midnight() -> None:
    error: dict[str, object] = {"type": "Error", "message": "You exceeded it.", "code": 429}
    found = limit(gemini_error(error, exit_code=173, stderr="TerminalQuotaError: daily"))
    assert (found.action, found.reset_at) == (Action.PARK, datetime(2026, 11, 17, 8, tzinfo=UTC))


def test_an_error_of_gemini_that_quotes_an_error_is_unpacked() -> None:
    words = "You exceeded your current quota, please check your plan and billing details."
    inner = json.dumps({"error": {"code": 429, "message": words, "status": "RESOURCE_EXHAUSTED"}})
    outer = json.dumps({"error": {"code": 429, "message": inner, "status": "Too Many Requests"}})
    message = f"[API Error: {outer}]\nPlease wait and try again later."
    found = limit(gemini_error({"message": message}, exit_code=1))
    assert (found.message, found.action) == (words, Action.PARK)


def test_the_exit_code_of_gemini_is_a_status_where_nothing_else_is_left() -> None:
    assert verdict(judged("gemini", exit_code=145)) == ("auth", "fail_over")
    assert verdict(judged("gemini", exit_code=173)) == ("limit", "retry_same")
    assert verdict(judged("gemini", exit_code=17)) == ("network", "retry_same")
    assert verdict(judged("gemini", exit_code=55)) == ("cli_error", "escalate")
    assert verdict(gemini_error({"message": "odd"}, exit_code=145)) == ("auth", "fail_over")


SILENT: Final = [
    ({"errorsByType": {"NO_FINISH_REASON": 1}}, [], "network", "retry_same"),
    ({"errorsByType": {"SAFETY_BLOCKED": 1}}, [], "logic", "escalate"),
    ({"errorsByType": {"NO_RESPONSE_TEXT": 1}}, [], "logic", "retry_once"),
    ({"errorsByType": {"NO_RESPONSE_TEXT": 1, "NEW_BLOCKED": 1}}, [], "logic", "escalate"),
    ({}, ["Loop detected, stopping execution"], "logic", "retry_with_feedback"),
    ({}, [], "parsing", "retry_with_feedback"),
]


@pytest.mark.parametrize(("api", "warnings", "category", "action"), SILENT)
def test_gemini_that_ends_well_without_a_word_has_failed(
    api: dict[str, object], warnings: list[str], category: str, action: str
) -> None:
    stats = {"models": {"m": {"api": api}}}
    found = judged("gemini", {"response": "", "stats": stats, "warnings": warnings})
    assert verdict(found) == (category, action)


def test_the_headers_of_an_error_of_opencode_tell_the_reset() -> None:
    details = {
        "message": "slow down",
        "statusCode": 429,
        "responseHeaders": {"retry-after": "30", "date": "Mon, 16 Nov 2026 12:00:00 GMT"},
    }
    found = limit(
        judged(
            "opencode",
            {"type": "error", "error": {"name": "APIError", "data": details}},
            exit_code=1,
        )
    )
    assert (found.action, found.reset_at) == (Action.PARK, NOW + timedelta(seconds=30))


def test_an_answer_of_opencode_that_was_cut_is_no_success() -> None:
    last = {"type": "step_finish", "part": {"reason": "length"}}
    assert verdict(judged("opencode", WORDS["opencode"], last)) == (
        "resource",
        "retry_with_feedback",
    )


@pytest.mark.parametrize("cli", ["claude", "qwen"])
@pytest.mark.parametrize("tools", [["Read", "StructuredOutput"], ["structured_output"]])
def test_a_schema_that_was_never_filled_is_no_success(cli: str, tools: list[str]) -> None:
    init = {"type": "system", "subtype": "init", "tools": tools}
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "Done."}
    assert verdict(judged(cli, init, result)) == ("parsing", "retry_with_feedback")
    for name in ("structured_output", "structured_result"):
        filled = judged(cli, init, {**result, name: {"status": "ok"}})
        assert filled.diagnosis.has_succeeded
    assert judged(cli, {**init, "tools": ["Read"]}, result).diagnosis.has_succeeded
    assert judged(cli, {**init, "tools": None}, result).diagnosis.has_succeeded


def test_an_answer_of_opencode_that_a_filter_cut_is_for_a_person() -> None:
    last = {"type": "step_finish", "part": {"reason": "content-filter"}}
    assert verdict(judged("opencode", WORDS["opencode"], last)) == ("logic", "escalate")


LAST_RESORT: Final = [
    ("connect ETIMEDOUT", "network", "retry_same"),
    ("Connection reset by peer", "network", "retry_same"),
    ("EAGAIN", "network", "retry_same"),
    ("RATE LIMIT", "limit", "retry_same"),
    ("Overloaded", "network", "retry_same"),
    ("please try again", "cli_error", "retry_same"),
    ("Invalid JSON", "validation", "retry_with_feedback"),
    ("missing required field", "validation", "retry_with_feedback"),
    ("no JSON found", "parsing", "retry_with_feedback"),
    ("BLOCKED: no way", "logic", "escalate"),
    ("stream ended: content_filter", "logic", "escalate"),
    ("Stopped by our safety system", "logic", "escalate"),
    ("cannot proceed", "logic", "escalate"),
    ("Out of memory", "resource", "escalate"),
    ("disk full", "resource", "escalate"),
    ("write failed: No space left on device", "resource", "escalate"),
    ("Missing optional dependency @openai/codex-linux-x64", "cli_error", "fail_over"),
    ("Error: Cannot find module 'yargs'", "cli_error", "fail_over"),
    ("./codex: cannot execute binary file: Exec format error", "cli_error", "fail_over"),
    ("a: error while loading shared libraries: libssl.so.3", "cli_error", "fail_over"),
    ("quota exceeded", "limit", "park"),
    ("permission denied", "cli_error", "escalate"),
    ("Authentication failed", "auth", "fail_over"),
    ("claude: command not found", "cli_error", "escalate"),
    ("what is this", "cli_error", "retry_once"),
]


@pytest.mark.parametrize(("words", "category", "action"), LAST_RESORT)
def test_words_are_the_last_resort(words: str, category: str, action: str) -> None:
    found = judged("opencode", exit_code=1, stderr=f"Starting.\n{words}\n")
    assert verdict(found) == (category, action)
    assert found.diagnosis.message == words


def test_what_the_agent_says_is_no_evidence() -> None:
    text = "rate limit, invalid api key, out of memory, resets at 3pm"
    talk = {"type": "item.completed", "item": {"type": "agent_message", "text": text}}
    assert verdict(judged("codex", talk, exit_code=1)) == ("cli_error", "retry_once")
    assert judged("codex", talk, GOOD["codex"], stderr="ERROR: 429").diagnosis.has_succeeded


def test_the_line_that_tells_most_is_the_message() -> None:
    words = "codex.js:1\n\nError: Missing optional dependency x\n    at a.js\n\nNode.js v20.20.2\n"
    found = judged("codex", stderr=words, exit_code=1)
    assert found.diagnosis.message == "Error: Missing optional dependency x"
    found = judged("codex", stderr=words.replace("Missing", "Odd"), exit_code=1)
    assert found.diagnosis.message == "Error: Odd optional dependency x"


def test_a_message_is_harmless_and_short() -> None:
    message = codex_error("\x1b[31mbad\x1b[0m\n" * 5000).diagnosis.message
    assert message.startswith("bad bad")
    assert len(message) <= 600


@given(
    st.lists(RECORDS | st.text(max_size=20), max_size=6).map("\n".join),
    st.text(max_size=60) | RECORDS,
    st.none() | st.integers(-20, 260),
    st.sampled_from(sorted(DIALECTS)),
)
def test_no_output_can_break_the_judgement(
    stdout: str, stderr: str, exit_code: int | None, cli: str
) -> None:
    evidence = ProcessEvidence(exit_code=exit_code, stdout=stdout, stderr=stderr, now=NOW)
    found = DIALECTS[cli].conclude(evidence)
    diagnosis = found.diagnosis
    assert diagnosis.has_succeeded == (diagnosis.action is None)
    assert diagnosis.message
    assert not diagnosis.has_succeeded or (exit_code == 0 and found.text.strip())
