"""What a CLI says and what the broker saw of it become one report."""

import asyncio
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    Channel,
    OutputSink,
    Probe,
    SandboxResult,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox
from supervisor_ai.workers.agent_worker import AgentWorker
from supervisor_ai.workers.agents import DIALECTS, PROFILES
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.output.evidence import ProcessEvidence

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=2)
CAP = CostCap(
    limit=Decimal(2),
    price=Price(input=Decimal(1), output=Decimal(2), cache_read=Decimal(0), cache_write=Decimal(1)),
)
MODEL = {
    "inputTokens": 100,
    "outputTokens": 20,
    "cacheReadInputTokens": 40,
    "cacheCreationInputTokens": 10,
    "costUSD": 0.25,
}
DONE: dict[str, object] = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Done.",
    "total_cost_usd": 0.25,
    "modelUsage": {"claude-opus-5-5": MODEL},
}
SAID = Usage(tokens_in=150, tokens_out=20, cost=Decimal("0.25"), cache_read=40, cache_write=10)


def failed(status: int, words: str = "Too many requests.") -> dict[str, object]:
    return {"type": "result", "is_error": True, "api_error_status": status, "result": words}


@dataclass
class Observed:
    """A sandbox whose broker has seen something."""

    inner: ScriptedSandbox
    reset_at: datetime | None

    @property
    def name(self) -> str:
        return self.inner.name

    async def run(self, spec: SandboxSpec, on_output: OutputSink) -> SandboxResult:
        return replace(await self.inner.run(spec, on_output), reset_at=self.reset_at)

    async def cpu_time(self, label: str) -> timedelta | None:
        return await self.inner.cpu_time(label)

    async def reap(self, prefix: str, *, before: int) -> int:
        return await self.inner.reap(prefix, before=before)

    async def probe(self) -> Probe:
        return await self.inner.probe()


def request(ground: Path) -> WorkerRequest:
    return WorkerRequest(
        run=RunId("r1"),
        step=StepName("implement"),
        visit=1,
        slot=0,
        attempt=1,
        role="implementer",
        cli=Cli(name="claude", adapter="claude"),
        prompt="Do it.",
        workspace=Workspace(
            run=RunId("r1"), key=EffectKey("k"), path=ground, start=CommitSha("c"), mounts=()
        ),
        program=ground,
        label="r1/implement/1/0/worker/1",
        fence=0,
        timeout=timedelta(minutes=1),
        output_bytes=1_000_000,
        sandbox=SandboxPolicy(),
        egress=(),
        on_refusal=print,
        tokens=9,
        cost_cap=CAP,
    )


@dataclass
class Attempt:
    """One attempt of Claude Code, as a script has it."""

    record: dict[str, object]
    seen: Usage = NO_USAGE
    reset_at: datetime | None = None

    def run(self) -> tuple[WorkerReport, SandboxSpec]:
        output = ((Channel.STDOUT, json.dumps(self.record).encode() + b"\n"),)
        code = 1 if self.record["is_error"] else 0
        reply = ScriptedReply(output=output, exit_code=code, usage=self.seen)
        sandbox = ScriptedSandbox(lambda _: reply)
        worker = AgentWorker(
            DIALECTS["claude"],
            Launcher(PROFILES["claude"]),
            Observed(sandbox, self.reset_at),
            {"ANTHROPIC_API_KEY": "sk-a"},
            now=lambda: NOW,
        )
        report = asyncio.run(worker.run(request(Path("/nonexistent")), lambda *_: None))
        return report, sandbox.specs[0]

    @property
    def usage(self) -> Usage:
        return self.run()[0].usage

    @property
    def diagnosis(self) -> Diagnosis:
        found = self.run()[0].diagnosis
        assert found is not None
        return found


def test_the_money_that_is_reserved_reaches_the_broker() -> None:
    _, spec = Attempt(DONE).run()
    assert spec.egress is not None
    assert (spec.egress.tokens, spec.egress.cost_cap) == (9, CAP)


@pytest.mark.parametrize(
    ("seen", "usage"),
    [
        (NO_USAGE, SAID),
        (replace(SAID, cost=Decimal(0)), SAID),
        (Usage(tokens_in=9, tokens_out=9, estimated=True), SAID),
        (Usage(tokens_in=150, tokens_out=20, estimated=True), SAID),
        # Who saw more also knows what of it a cache had; what was said of the price is too low.
        (
            Usage(tokens_in=200, tokens_out=30, cache_read=150),
            Usage(
                tokens_in=200,
                tokens_out=30,
                cost=Decimal("0.25"),
                cache_read=150,
                estimated=True,
            ),
        ),
        (Usage(tokens_in=10, tokens_out=30), replace(SAID, tokens_out=30, estimated=True)),
        # A guess that is higher than what was said is still a guess.
        (
            Usage(tokens_in=10, tokens_out=30, estimated=True),
            replace(SAID, tokens_out=30, estimated=True),
        ),
    ],
)
def test_of_both_accounts_the_higher_counts(seen: Usage, usage: Usage) -> None:
    assert Attempt(DONE, seen=seen).usage == usage


def test_tokens_that_only_the_broker_counted_are_no_guess() -> None:
    seen = Usage(tokens_in=30, tokens_out=12, cache_read=5)
    assert Attempt(failed(500), seen=seen).usage == seen
    assert Attempt(failed(500), seen=replace(seen, estimated=True)).usage.estimated


def test_a_price_that_the_cli_does_not_know_stays_a_guess() -> None:
    unknown = {**DONE, "modelUsage": {"mine": {**MODEL, "costBasis": "unknown"}}}
    seen = replace(SAID, cost=Decimal(0))
    assert Attempt(unknown, seen=seen).usage == replace(SAID, estimated=True)


def test_a_limit_ends_when_the_headers_say_so() -> None:
    found = Attempt(failed(429), reset_at=LATER).diagnosis
    assert (found.category, found.action) == (FailureCategory.LIMIT, Action.PARK)
    assert found.reset_at == LATER


def test_what_the_cli_says_itself_counts_before_what_the_headers_say() -> None:
    words = failed(429, "You've hit your limit · resets 3pm (UTC)")
    assert Attempt(words, reset_at=LATER).diagnosis.reset_at == NOW + timedelta(hours=3)


def test_headers_say_the_second_where_the_cli_only_says_the_minute() -> None:
    words = failed(429, "You've hit your limit · resets 3pm (UTC)")
    exact = NOW + timedelta(hours=3, seconds=42)
    assert Attempt(words, reset_at=exact).diagnosis.reset_at == exact


@pytest.mark.parametrize("reset_at", [None, NOW, NOW - timedelta(hours=1)])
def test_a_limit_that_is_over_is_tried_again(reset_at: datetime | None) -> None:
    found = Attempt(failed(429), reset_at=reset_at).diagnosis
    assert (found.action, found.reset_at) == (Action.RETRY_SAME, None)


def test_waiting_brings_no_money() -> None:
    found = Attempt(failed(402), reset_at=LATER).diagnosis
    assert (found.category, found.action) == (FailureCategory.LIMIT, Action.FAIL_OVER)


@pytest.mark.parametrize("status", [401, 500, 529])
def test_only_a_limit_ends(status: int) -> None:
    assert Attempt(failed(status), reset_at=LATER).diagnosis.reset_at is None


def test_an_attempt_that_succeeded_has_no_limit() -> None:
    found = Attempt(DONE, reset_at=LATER).diagnosis
    assert found.has_succeeded
    assert found.reset_at is None


def said(cli: str, *records: dict[str, object]) -> Usage:
    stdout = "\n".join(map(json.dumps, records))
    evidence = ProcessEvidence(exit_code=0, stdout=stdout, stderr="", now=NOW)
    return DIALECTS[cli].conclude(evidence).usage


def test_the_caches_of_opencode_are_added_up_over_its_steps() -> None:
    def step(read: int, written: int) -> dict[str, object]:
        cache = {"read": read, "write": written}
        tokens = {"input": 10, "output": 4, "reasoning": 1, "cache": cache}
        return {"type": "step_finish", "part": {"reason": "stop", "tokens": tokens, "cost": 0.5}}

    assert said("opencode", step(100, 20), step(300, 0)) == Usage(
        tokens_in=440, tokens_out=10, cost=Decimal("1.0"), cache_read=400, cache_write=20
    )


def test_a_total_cost_is_kept_also_without_an_account_of_the_models() -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 2}
    told = {"type": "result", "is_error": False, "usage": usage, "total_cost_usd": 0.5}
    assert said("claude", told) == Usage(
        tokens_in=12, tokens_out=2, cost=Decimal("0.5"), cache_read=7
    )


def test_half_a_run_is_a_guess() -> None:
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 7, "output_tokens": 1}
    messages: list[dict[str, object]] = [
        {"type": "assistant", "message": {"id": name, "usage": usage}} for name in ("a", "a", "b")
    ]
    assert said("claude", *messages) == Usage(
        tokens_in=24, tokens_out=2, estimated=True, cache_write=14
    )


counts = st.one_of(st.integers(-5, 50), st.just("9"), st.none(), st.floats(allow_nan=True))
records = st.fixed_dictionaries({
    "type": st.sampled_from(["result", "turn.completed", "step_finish", "assistant"]),
    "usage": st.dictionaries(
        st.sampled_from([
            "input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens",
            "cache_read_input_tokens", "cache_creation_input_tokens",
        ]),
        counts,
    ),
    "stats": st.dictionaries(st.sampled_from(["input_tokens", "cached"]), counts),
    "part": st.fixed_dictionaries({
        "tokens": st.fixed_dictionaries({
            "input": counts,
            "cache": st.dictionaries(st.sampled_from(["read", "write"]), counts),
        })
    }),
})  # fmt: skip


@given(st.sampled_from(sorted(DIALECTS)), st.lists(records, max_size=4))
def test_no_cli_has_more_in_its_caches_than_went_in(
    cli: str, told: list[dict[str, object]]
) -> None:
    usage = said(cli, *told)
    assert min(usage.cache_read, usage.cache_write) >= 0
    assert usage.cache_read + usage.cache_write <= usage.tokens_in
