"""Explaining a recorded run, and the verb that does it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from supervisor_ai.bootstrap.projects import open_classifier
from supervisor_ai.cli.main import supervisor
from supervisor_ai.control.ports.classification import Classification, RecordedRun
from supervisor_ai.control.queries.classification import RunResult, explain_run
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace

RUNS: Final = Path(__file__).parents[2] / "fixtures" / "clis"
NOW: Final = datetime(2026, 11, 16, 12, tzinfo=UTC)
RUN: Final = RecordedRun(cli="known", exit_code=1, stdout="out", stderr="err", ended_at=NOW)


@dataclass(frozen=True, slots=True)
class FixedClassifier:
    """Knows one command and says one thing about it."""

    found: Classification
    names: tuple[str, ...] = ("known", "other")
    schema_names: tuple[str, ...] = ("other",)

    def classify(self, run: RecordedRun) -> Classification:
        assert run == RUN
        return self.found


def fixed(diagnosis: Diagnosis, usage: Usage = NO_USAGE) -> FixedClassifier:
    return FixedClassifier(Classification(diagnosis=diagnosis, usage=usage, because="A record."))


def test_a_failure_is_explained() -> None:
    diagnosis = Diagnosis(
        message="Slow down.",
        category=FailureCategory.LIMIT,
        action=Action.PARK,
        reset_at=NOW,
        session="s",
        model="m",
    )
    usage = Usage(tokens_in=5, tokens_out=2, cost=Decimal("0.5"))
    found = explain_run(fixed(diagnosis, usage), RUN)
    assert (found.outcome, found.category) == (RunResult.FAILED, FailureCategory.LIMIT)
    assert (found.action, found.reset_at) == (Action.PARK, NOW)
    assert (found.session, found.model, found.message) == ("s", "m", "Slow down.")
    assert (found.usage.tokens_in, found.usage.tokens_out, found.cost) == (5, 2, Decimal("0.5"))
    assert found.because == "A record."


def test_a_success_has_neither_category_nor_action() -> None:
    found = explain_run(fixed(Diagnosis(message="Done.")), RUN)
    assert (found.outcome, found.category, found.action) == (RunResult.SUCCEEDED, None, None)
    assert found.cost == 0


def test_a_cost_that_nobody_told_is_not_nothing() -> None:
    usage = Usage(tokens_in=5, tokens_out=2, estimated=True)
    assert explain_run(fixed(Diagnosis(message="Done."), usage), RUN).cost is None


def test_an_unknown_command_is_refused_with_the_known_ones() -> None:
    classifier = FixedClassifier(fixed(Diagnosis(message="")).found, names=("claude", "codex"))
    with pytest.raises(InvalidInput, match="no CLI 'known'") as error:
        explain_run(classifier, RUN)
    assert error.value.hint == "Known: claude, codex."


def test_all_commands_of_the_dialects_can_be_classified() -> None:
    agents = ("claude", "codex", "gemini", "opencode", "qwen")
    assert open_classifier().names == (*agents, "command")


def classify(arguments: Sequence[str], *, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(
        supervisor, ["worker", "classify", *arguments], input=stdin, standalone_mode=False
    )


def recording(cli: str, case: str) -> list[str]:
    base = RUNS / cli / case
    code = base.with_name(f"{case}.exit").read_text().strip()
    return [
        *("--cli", cli, "--exit", code),
        *("--stdout", f"{base}.stdout", "--stderr", f"{base}.stderr"),
    ]


def test_the_verb_prints_json() -> None:
    result = classify([*recording("gemini", "http_429_retryinfo"), "--at", "2026-11-16", "--json"])
    assert result.return_value == 0
    assert json.loads(result.stdout) == snapshot(
        {
            "cli": "gemini",
            "outcome": "failed",
            "category": "limit",
            "action": "park",
            "message": (
                "You exceeded your current quota. Please retry in 3s. Suggested retry after 3s."
            ),
            "because": "The error document on stderr says so: HTTP status 429.",
            "usage": {"tokens_in": 0, "tokens_out": 0},
            "cost": 0,
            "session": "0415e31f-a72c-4ec3-a0c8-e425ad24a77c",
            "model": None,
            "reset_at": "2026-11-16T00:00:03Z",
        }
    )


def test_the_verb_explains_a_success_in_words() -> None:
    result = classify(recording("claude", "success_edit_stream"))
    assert result.return_value == 0
    assert result.stdout == snapshot("""\
claude succeeded: It did what it was asked.
  because  It exited with 0, the result record says that it succeeded, and there is an answer.
  usage    1650 tokens in, 90 out
  cost     0.0048 USD
  model    claude-opus-5-5
  session  1accbab4-f5a8-442f-903d-2df87e0af081
""")


def test_the_verb_explains_a_failure_in_words() -> None:
    reset = ["--at", "2026-11-16T12:00:00"]
    result = classify([*recording("gemini", "http_429_retryinfo"), *reset])
    first, *details = result.stdout.splitlines()
    assert first.startswith("gemini failed (limit): You exceeded your current quota.")
    assert details[:3] == [
        "  because   The error document on stderr says so: HTTP status 429.",
        "  to do     park",
        "  reset at  2026-11-16T12:00:03+00:00",
    ]


def test_a_dash_reads_stdin() -> None:
    output = (RUNS / "codex" / "http_401.stdout").read_bytes()
    result = classify(["--cli", "codex", "--exit", "1", "--stdout", "-", "--json"], stdin=output)
    assert json.loads(result.stdout)["category"] == "auth"
    assert json.loads(result.stdout)["cost"] == 0


def test_a_cost_that_is_not_said_is_null() -> None:
    result = classify([*recording("codex", "success_edit_json"), "--json"])
    assert json.loads(result.stdout)["cost"] is None
    assert "cost     not said" in classify(recording("codex", "success_edit_json")).stdout


def test_only_the_end_of_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with path.open("wb") as file:
        file.write(b"x" * (6 << 20) + b"\n")
        file.write((RUNS / "codex" / "http_401.stdout").read_bytes())
    result = classify(["--cli", "codex", "--exit", "1", "--stdout", str(path), "--json"])
    assert json.loads(result.stdout)["category"] == "auth"


def test_stdin_cannot_be_both() -> None:
    result = classify(["--cli", "codex", "--exit", "1", "--stdout", "-", "--stderr", "-"])
    assert isinstance(result.exception, InvalidInput)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    result = classify(["--cli", "codex", "--exit", "1", "--stdout", str(tmp_path / "none")])
    assert isinstance(result.exception, InvalidInput)
    assert "none' cannot be read: No such file or directory." in result.exception.message


def classified(cli: str, case: str, *words: str) -> Result:
    where = str(RUNS / cli / f"{case}.stdout")
    words = ("worker", "classify", "--cli", cli, "--exit", "0", "--stdout", where, *words)
    return CliRunner().invoke(supervisor, [*words, "--json"])


@pytest.mark.parametrize(
    ("cli", "case"), [("claude", "success_text_json"), ("claude", "success_edit_json")]
)
def test_a_recording_that_left_its_schema_empty_is_no_success(cli: str, case: str) -> None:
    assert json.loads(classified(cli, case).stdout)["outcome"] == "succeeded"
    found = json.loads(classified(cli, case, "--schema").stdout)
    assert (found["outcome"], found["category"], found["action"]) == (
        *("failed", "parsing", "retry_with_feedback"),
    )
    assert "structured answer" in found["message"]


def test_a_recording_that_filled_its_schema_is_a_success() -> None:
    found = json.loads(classified("claude", "structured_json", "--schema").stdout)
    assert found["outcome"] == "succeeded"


def test_a_schema_is_refused_where_the_answer_is_in_the_words() -> None:
    classifier = fixed(Diagnosis(message=""))
    with pytest.raises(InvalidInput, match="no structured answer") as refused:
        explain_run(classifier, replace(RUN, has_schema=True))
    assert refused.value.hint == "Leave --schema out. Those that do: other."


def test_an_agent_of_somebodys_own_leaves_its_exit_code_and_its_words() -> None:
    limit = "\x1b[31mrate limit\x1b[0m exceeded, try again\n"
    run = replace(RUN, cli="command", stdout="", stderr=limit)
    found = explain_run(open_classifier(), run)
    assert (found.category, found.action) == (FailureCategory.LIMIT, Action.RETRY_SAME)
    assert "rate limit exceeded" in found.message
    assert explain_run(open_classifier(), replace(run, exit_code=0)).outcome is RunResult.SUCCEEDED
