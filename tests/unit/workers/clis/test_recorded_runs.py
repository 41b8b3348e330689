"""Every recorded run of a real command has its row here: what came of it, and what is to be done.

A process that went to its end has succeeded, also where a tool was denied or a patch failed on the
way: what the work is worth is for the gates to say. Output without records, as the `text` formats
give it, is no proof of anything, whatever its exit code.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from supervisor_ai.workers.agents import DIALECTS
from supervisor_ai.workers.output.evidence import AgentConclusion, ProcessEvidence

RUNS: Final = Path(__file__).parents[3] / "fixtures" / "clis"
NOW: Final = datetime(2026, 11, 16, 12, tzinfo=UTC)

EXPECTED: Final = """
claude   arg_100k                       11/3/0/0         succeeded -          -
claude   arg_plus_stdin                 11/3/0/0         succeeded -          -
claude   bare_edit                      1650/90/1000/200 succeeded -          -
claude   http_429_twice_then_ok         11/3/0/0         succeeded -          -
claude   mcp_http                       200/40/0/0       succeeded -          -
claude   mcp_stdio                      200/40/0/0       succeeded -          -
claude   model_flag                     11/3/0/0         succeeded -          -
claude   model_unknown                  11/3/0/0         succeeded -          -
claude   stdin_300k                     11/3/0/0         succeeded -          -
claude   stdin_prompt                   11/3/0/0         succeeded -          -
claude   structured_json                100/20/0/0       succeeded -          -
claude   structured_stream              100/20/0/0       succeeded -          -
claude   success_edit_json              1650/90/1000/200 succeeded -          -
claude   success_edit_skip_permissions_root_IS_SANDBOX 1650/90/1000/200 succeeded -          -
claude   success_edit_stream            1650/90/1000/200 succeeded -          -
claude   success_text_json              11/3/0/0         succeeded -          -
claude   success_text_stream            11/3/0/0         succeeded -          -
claude   system_prompt                  11/3/0/0         succeeded -          -
claude   tool_denied_default            300/60/0/0       succeeded -          -
claude   tool_denied_dontAsk            300/60/0/0       succeeded -          -
claude   tool_unavailable_tools_flag    300/60/0/0       succeeded -          -
claude   write_outside_workspace        200/40/0/0       succeeded -          -
claude   bad_flag                       0/0/0/0          failed    cli_error  escalate
claude   conn_refused                   0/0/0/0          failed    network    retry_same
claude   conn_refused_retries1          0/0/0/0          failed    network    retry_same
claude   empty_200                      0/0/0/0          failed    network    retry_same
claude   empty_prompt                   0/0/0/0          failed    cli_error  escalate
claude   http_400                       0/0/0/0          failed    cli_error  escalate
claude   http_401                       0/0/0/0          failed    auth       fail_over
claude   http_401_stream                0/0/0/0          failed    auth       fail_over
claude   http_404                       0/0/0/0          failed    cli_error  escalate
claude   http_429_no_header             0/0/0/0          failed    limit      retry_same
claude   http_429_retry_after_60        0/0/0/0          failed    cli_error  retry_same
claude   http_429_retry_after_forever   0/0/0/0          failed    limit      retry_same
claude   http_500                       0/0/0/0          failed    network    retry_same
claude   http_500_retries0              0/0/0/0          failed    network    retry_same
claude   http_529                       0/0/0/0          failed    network    retry_same
claude   http_529_retries1              0/0/0/0          failed    network    retry_same
claude   malformed_sse                  100/1/0/0        failed    network    retry_same
claude   malformed_sse_retries1         100/1/0/0        failed    network    retry_same
claude   max_turns                      300/60/0/0       failed    resource   retry_with_feedback
claude   max_turns_env                  300/60/0/0       failed    resource   retry_with_feedback
claude   max_turns_stream               300/60/0/0       failed    resource   retry_with_feedback
claude   no_api_key                     0/0/0/0          failed    auth       fail_over
claude   schema_bad                     0/0/0/0          failed    cli_error  escalate
claude   sigterm_midrun                 0/0/0/0          failed    cli_error  retry_same
claude   sigterm_midrun_stream          100/1/0/0        failed    cli_error  retry_same
claude   skip_permissions_root_refused  0/0/0/0          failed    cli_error  escalate
claude   stop_max_tokens                400/80/0/0       failed    resource   retry_with_feedback
claude   stop_refusal_stream            200/40/0/0       failed    logic      escalate
claude   structured_always_invalid      500/100/0/0      failed    validation retry_with_feedback
claude   structured_never_stream        200/40/0/0       failed    parsing    retry_with_feedback
claude   success_edit_text              0/0/0/0          failed    parsing    retry_with_feedback

codex    arg_100k                       11/3/0/0         succeeded -          -
codex    arg_plus_stdin                 11/3/0/0         succeeded -          -
codex    builtin_openai_base_url        11/3/0/0         succeeded -          -
codex    config_by_c_flags              250/50/30/0      succeeded -          -
codex    git_commit_in_sandbox          200/40/0/0       succeeded -          -
codex    http_429_twice_then_ok         11/3/0/0         succeeded -          -
codex    mcp_http                       200/40/0/0       succeeded -          -
codex    mcp_stdio                      200/40/0/0       succeeded -          -
codex    mcp_stdio_not_approved         200/40/0/0       succeeded -          -
codex    model_flag                     11/3/0/0         succeeded -          -
codex    model_unknown                  11/3/0/0         succeeded -          -
codex    not_git_skip                   11/3/0/0         succeeded -          -
codex    stdin_300k                     11/3/0/0         succeeded -          -
codex    stdin_noarg                    11/3/0/0         succeeded -          -
codex    stdin_prompt                   11/3/0/0         succeeded -          -
codex    structured_json                100/20/0/0       succeeded -          -
codex    success_edit_bypass_root       250/50/30/0      succeeded -          -
codex    success_edit_ephemeral         250/50/30/0      succeeded -          -
codex    success_edit_json              250/50/30/0      succeeded -          -
codex    success_text_json              11/3/0/0         succeeded -          -
codex    tool_denied_outside_workspace  200/40/0/0       succeeded -          -
codex    tool_denied_readonly_exec      200/40/0/0       succeeded -          -
codex    tool_denied_readonly_patch     200/40/0/0       succeeded -          -
codex    tool_escalation_denied         200/40/0/0       succeeded -          -
codex    bad_config_toml                0/0/0/0          failed    cli_error  escalate
codex    bad_flag                       0/0/0/0          failed    cli_error  escalate
codex    conn_refused                   0/0/0/0          failed    network    retry_same
codex    conn_refused_bounded           0/0/0/0          failed    network    retry_same
codex    conn_refused_bounded_retries0  0/0/0/0          failed    network    retry_same
codex    conn_refused_retries0          0/0/0/0          failed    network    retry_same
codex    empty_200                      0/0/0/0          failed    network    retry_same
codex    empty_prompt                   0/0/0/0          failed    cli_error  escalate
codex    http_400                       0/0/0/0          failed    cli_error  escalate
codex    http_401                       0/0/0/0          failed    auth       fail_over
codex    http_429_no_header             0/0/0/0          failed    limit      retry_same
codex    http_429_retry_after_60        0/0/0/0          failed    limit      retry_same
codex    http_429_retry_after_forever   0/0/0/0          failed    limit      retry_same
codex    http_429_usage_limit           0/0/0/0          failed    limit      park
codex    http_500                       0/0/0/0          failed    network    retry_same
codex    http_500_retries0              0/0/0/0          failed    network    retry_same
codex    http_500_retries1              0/0/0/0          failed    network    retry_same
codex    loop_no_max_turns              0/0/0/0          failed    cli_error  retry_same
codex    malformed_sse                  0/0/0/0          failed    network    retry_same
codex    no_api_key                     0/0/0/0          failed    auth       fail_over
codex    not_git                        0/0/0/0          failed    cli_error  escalate
codex    schema_bad_json                0/0/0/0          failed    cli_error  escalate
codex    schema_missing_file            0/0/0/0          failed    cli_error  escalate
codex    sigterm_in_shell               0/0/0/0          failed    cli_error  retry_same
codex    sigterm_midrun                 0/0/0/0          failed    cli_error  retry_same
codex    sse_error                      0/0/0/0          failed    network    retry_same
codex    stop_content_filter            0/0/0/0          failed    logic      escalate
codex    success_edit_text              0/0/0/0          failed    parsing    retry_with_feedback
codex    wire_api_chat                  0/0/0/0          failed    cli_error  escalate

gemini   arg_100k                       11/3/0/0         succeeded -          -
gemini   arg_plus_stdin                 11/3/0/0         succeeded -          -
gemini   http_429_twice_then_ok         11/3/0/0         succeeded -          -
gemini   mcp_http                       200/40/0/0       succeeded -          -
gemini   mcp_stdio                      200/40/0/0       succeeded -          -
gemini   model_unknown                  11/3/0/0         succeeded -          -
gemini   session_id                     11/3/0/0         succeeded -          -
gemini   stdin_300k                     11/3/0/0         succeeded -          -
gemini   stdin_prompt                   11/3/0/0         succeeded -          -
gemini   stop_max_tokens                100/20/0/0       succeeded -          -
gemini   success_auto_edit              350/70/30/0      succeeded -          -
gemini   success_edit_json              450/90/30/0      succeeded -          -
gemini   success_edit_stream            450/90/30/0      succeeded -          -
gemini   success_text_json              11/3/0/0         succeeded -          -
gemini   success_text_router            111/23/0/0       succeeded -          -
gemini   success_text_stream            11/3/0/0         succeeded -          -
gemini   tool_denied_auto_edit          300/60/0/0       succeeded -          -
gemini   tool_denied_default            300/60/0/0       succeeded -          -
gemini   tool_denied_plan               300/60/0/0       succeeded -          -
gemini   tool_denied_stream             300/60/0/0       succeeded -          -
gemini   tool_excluded                  300/60/0/0       succeeded -          -
gemini   untrusted_skip_trust           450/90/30/0      succeeded -          -
gemini   write_outside_workspace        200/40/0/0       succeeded -          -
gemini   bad_flag                       0/0/0/0          failed    cli_error  escalate
gemini   conn_refused                   0/0/0/0          failed    network    retry_same
gemini   conn_refused_noretryfetch      0/0/0/0          failed    network    retry_same
gemini   empty_prompt                   0/0/0/0          failed    cli_error  escalate
gemini   html_200                       0/0/0/0          failed    network    retry_same
gemini   http_400                       0/0/0/0          failed    cli_error  escalate
gemini   http_401                       0/0/0/0          failed    auth       fail_over
gemini   http_401_stream                0/0/0/0          failed    auth       fail_over
gemini   http_429_attempts2             0/0/0/0          failed    limit      retry_same
gemini   http_429_no_header             0/0/0/0          failed    limit      retry_same
gemini   http_429_retry_after_forever   0/0/0/0          failed    limit      retry_same
gemini   http_429_retryinfo             0/0/0/0          failed    limit      park
gemini   http_500                       0/0/0/0          failed    network    retry_same
gemini   http_500_attempts1             0/0/0/0          failed    network    retry_same
gemini   http_503                       0/0/0/0          failed    network    retry_same
gemini   malformed_sse                  0/0/0/0          failed    network    retry_same
gemini   max_turns                      0/0/0/0          failed    resource   retry_with_feedback
gemini   no_api_key                     0/0/0/0          failed    auth       fail_over
gemini   no_settings                    0/0/0/0          failed    auth       fail_over
gemini   sigint_midrun_stream           0/0/0/0          failed    cli_error  retry_same
gemini   sigterm_in_shell               0/0/0/0          failed    cli_error  retry_same
gemini   sigterm_midrun                 0/0/0/0          failed    cli_error  retry_same
gemini   sse_error                      400/80/0/0       failed    network    retry_same
gemini   stdin_9mb                      0/0/0/0          failed    resource   escalate
gemini   stop_blocklist_json            100/20/0/0       failed    logic      retry_once
gemini   stop_blocklist_stream          100/20/0/0       failed    logic      retry_once
gemini   stop_other_stream              200/40/0/0       failed    logic      escalate
gemini   stop_prohibited_content_json   100/20/0/0       failed    logic      retry_once
gemini   stop_prohibited_content_stream 100/20/0/0       failed    logic      retry_once
gemini   stop_recitation_json           200/40/0/0       failed    logic      escalate
gemini   stop_safety_json               200/40/0/0       failed    logic      escalate
gemini   stop_safety_stream             200/40/0/0       failed    logic      escalate
gemini   success_edit_text              0/0/0/0          failed    parsing    retry_with_feedback

opencode success_edit_json              200/40/0/0       succeeded -          -
opencode http_401                       0/0/0/0          failed    auth       fail_over

qwen     structured_stream              100/20/0/0       succeeded -          -
qwen     success_edit_json              150/30/30/0      succeeded -          -
qwen     http_401                       0/0/0/0          failed    auth       fail_over
qwen     v0.15_no_proxy_ignored         0/0/0/0          failed    network    retry_same
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    cli: str
    case: str
    tokens: str
    """In, out, and of those in: what a cache had, what a cache took."""
    outcome: str
    category: str
    action: str


ROWS: Final = [Row(*line.split()) for line in EXPECTED.splitlines() if line.strip()]


def recorded() -> set[tuple[str, str]]:
    return {(path.parent.name, path.name.removesuffix(".exit")) for path in RUNS.glob("*/*.exit")}


def concluded(cli: str, case: str) -> AgentConclusion:
    def read(ending: str) -> str:
        return (RUNS / cli / f"{case}.{ending}").read_text()

    evidence = ProcessEvidence(
        exit_code=int(read("exit")), stdout=read("stdout"), stderr=read("stderr"), now=NOW
    )
    return DIALECTS[cli].conclude(evidence)


def test_every_run_has_a_row_and_every_row_a_run() -> None:
    rows = [(row.cli, row.case) for row in ROWS]
    assert len(rows) == len(set(rows))
    assert set(rows) == recorded()
    assert len(rows) > 150


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.cli}-{row.case}")
def test_a_recorded_run_is_judged_as_its_row_says(row: Row) -> None:
    found = concluded(row.cli, row.case)
    diagnosis, usage = found.diagnosis, found.usage
    assert usage.cache_read + usage.cache_write <= usage.tokens_in
    assert (
        Row(
            row.cli,
            row.case,
            f"{usage.tokens_in}/{usage.tokens_out}/{usage.cache_read}/{usage.cache_write}",
            "succeeded" if diagnosis.has_succeeded else "failed",
            diagnosis.category or "-",
            diagnosis.action or "-",
        )
        == row
    ), f"{diagnosis.message} / {found.because}"
    assert diagnosis.message
    assert found.because


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.cli}-{row.case}")
def test_what_succeeded_left_an_answer(row: Row) -> None:
    has_text = bool(concluded(row.cli, row.case).text.strip())
    assert has_text or row.outcome == "failed"


@dataclass(frozen=True, slots=True)
class Account:
    """What a run took, and who it was."""

    cli: str
    case: str
    tokens: tuple[int, int]
    cost: str
    """With ~ where the command guesses: its own price, or tokens that it did not count."""
    model: str | None
    session: str | None
    turns: int | None


ACCOUNTS: Final = [
    Account(
        "claude",
        "success_edit_stream",
        (1650, 90),
        "0.0048",
        "claude-opus-5-5",
        "1accba",
        5,
    ),
    Account("claude", "success_text_json", (11, 3), "0.000104", "claude-opus-5-5", "3e0f5f", 1),
    Account("claude", "structured_json", (100, 20), "0.0008", "claude-opus-5-5", "7808b4", 2),
    Account("claude", "max_turns", (300, 60), "0.0024", "claude-opus-5-5", "4f27dd", 4),
    Account(
        "claude",
        "structured_always_invalid",
        (500, 100),
        "0.004",
        "claude-opus-5-5",
        "7ef8a7",
        6,
    ),
    Account("claude", "model_flag", (11, 3), "0.000026", "claude-haiku-4-5", "481e14", 1),
    Account("claude", "model_unknown", (11, 3), "0.000104~", "my-local-model", "96ac4f", 1),
    Account("claude", "http_401_stream", (0, 0), "0", "claude-opus-5-5", "d8a8c5", 1),
    Account("claude", "sigterm_midrun_stream", (100, 1), "0~", "claude-opus-5-5", "c6edc7", None),
    Account("claude", "bad_flag", (0, 0), "0", None, None, None),
    Account("codex", "success_edit_json", (250, 50), "0", None, "01a1e0", None),
    Account("codex", "http_429_usage_limit", (0, 0), "0", None, "01a1e0", None),
    Account("codex", "sigterm_midrun", (0, 0), "0", None, "01a1e0", None),
    Account("gemini", "success_edit_stream", (450, 90), "0", "gemini-2.5-flash", "ab85ee", None),
    Account("gemini", "success_edit_json", (450, 90), "0", "gemini-2.5-flash", "6eeff7", None),
    Account("gemini", "success_text_router", (111, 23), "0", "gemini-3.8-flash", "a6f311", None),
    Account("gemini", "http_401", (0, 0), "0", None, "17f2e1", None),
    Account("gemini", "sse_error", (400, 80), "0", "gemini-2.5-flash", "3abb5d", None),
    Account("gemini", "sigterm_in_shell", (0, 0), "0", "gemini-2.5-flash", "8d1627", None),
    Account("opencode", "success_edit_json", (200, 40), "0", None, "ses_e1", 2),
    Account("qwen", "success_edit_json", (150, 30), "0", "scripted-model", "0240bc", 2),
    Account("qwen", "structured_stream", (100, 20), "0", "scripted-model", "26ae48", 1),
]


@pytest.mark.parametrize("account", ACCOUNTS, ids=lambda it: f"{it.cli}-{it.case}")
def test_what_a_run_took_and_who_it_was(account: Account) -> None:
    found = concluded(account.cli, account.case)
    usage, diagnosis = found.usage, found.diagnosis
    assert account == Account(
        account.cli,
        account.case,
        (usage.tokens_in, usage.tokens_out),
        f"{usage.cost}{'~' if usage.estimated else ''}",
        diagnosis.model,
        diagnosis.session and diagnosis.session[:6],
        found.num_turns,
    )


FINAL_WORDS: Final = [
    ("claude", "success_edit_stream", 'Done.\n```json\n{"status":"ok","files":["hello.py"]}\n```'),
    ("claude", "structured_stream", '```json\n{"status": "ok", "files": ["a.py"]}\n```'),
    ("codex", "success_edit_json", 'Done.\n```json\n{"status":"ok","files":["hello.py"]}\n```'),
    ("codex", "structured_json", '```json\n{"status": "ok", "files": ["a.py"]}\n```'),
    ("gemini", "success_edit_stream", 'Done.\n```json\n{"status":"ok","files":["hello.py"]}\n```'),
    ("gemini", "success_edit_json", 'Done.\n```json\n{"status":"ok","files":["hello.py"]}\n```'),
    ("opencode", "success_edit_json", 'Done.\n```json\n{"status":"ok"}\n```'),
    ("qwen", "structured_stream", '```json\n{"status": "ok"}\n```'),
]


@pytest.mark.parametrize(("cli", "case", "text"), FINAL_WORDS)
def test_the_text_is_what_was_said_last_with_a_structured_answer_in_a_fence(
    cli: str, case: str, text: str
) -> None:
    assert concluded(cli, case).text == text


def test_a_reset_that_was_recorded_is_found() -> None:
    diagnosis = concluded("gemini", "http_429_retryinfo").diagnosis
    assert diagnosis.reset_at == NOW.replace(second=3)
