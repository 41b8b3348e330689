"""An attempt of an API worker, and everything that could be seen of it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.domain.run.spending.prices import CostCap
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.engine.ports.workers import Observation, WorkerReport, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.workers.api.worker import ApiWorker

KEY = "sk-canary-7c1f"
ENVIRONMENT = {"THE_KEY": KEY, "OTHER_KEY": "sk-other-0000", "HTTP_PROXY": "http://127.0.0.1:9"}
NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"status": {"type": "string"}}}
PROMPT = f"Plan it. ✓\n\n## Answer\n\n```schema\n{json.dumps(SCHEMA, indent=2)}\n```\n"


def unexpected(refusal: EgressRefusal) -> None:
    raise AssertionError(refusal)


def model(
    name: str, url: str, provider: str = "openai_compatible", **more: object
) -> dict[str, Any]:
    """Write a model as a run pins it."""
    pinned = {"name": name, "provider": provider, "model": f"{name}-1", "base_url": url}
    return {**pinned, "key": "${THE_KEY}", **more}


@dataclass
class Attempt:
    """One attempt; the defaults are those of a planner."""

    models: list[dict[str, Any]]
    prompt: str = PROMPT
    system_prompt: str = ""
    timeout: timedelta = timedelta(seconds=30)
    output_bytes: int = 1 << 20
    tokens: int | None = None
    cost_cap: CostCap | None = None
    environment: dict[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))
    authorities: str | None = None
    seen: list[Observation] = field(default_factory=list)
    printed: dict[Channel, bytes] = field(
        default_factory=lambda: {Channel.STDOUT: b"", Channel.STDERR: b""}
    )

    def request(self) -> WorkerRequest:
        run, nowhere = RunId("r1"), Path("/nonexistent")
        return WorkerRequest(
            run=run,
            step=StepName("plan"),
            visit=1,
            slot=1,
            attempt=1,
            role="planner",
            cli=Cli(name="thinker", adapter="api", script=json.dumps(self.models)),
            prompt=self.prompt,
            workspace=Workspace(
                run=run, key=EffectKey("k"), path=nowhere, start=CommitSha("c"), mounts=()
            ),
            program=nowhere,
            label="r1/plan/1/1/worker/1",
            fence=0,
            timeout=self.timeout,
            output_bytes=self.output_bytes,
            sandbox=SandboxPolicy(),
            egress=(),
            on_refusal=unexpected,
            tokens=self.tokens,
            cost_cap=self.cost_cap,
            system_prompt=self.system_prompt,
            on_observation=self.seen.append,
        )

    def _print(self, channel: Channel, chunk: bytes) -> None:
        self.printed[channel] += chunk

    async def perform(self) -> WorkerReport:
        worker = ApiWorker(self.environment, now=lambda: NOW, authorities=self.authorities)
        return await worker.run(self.request(), self._print)

    def run_pinned(self, script: str) -> WorkerReport:
        request = self.request()
        request = replace(request, cli=replace(request.cli, script=script))
        worker = ApiWorker(self.environment)
        return asyncio.run(worker.run(request, self._print))

    def run(self) -> WorkerReport:
        return asyncio.run(self.perform())

    def cancel_when(self, is_time: Callable[[], bool]) -> None:
        """Cancel the attempt at a moment; polls, since the service lives in another thread."""

        async def cancelled() -> None:
            task = asyncio.create_task(self.perform())
            await asyncio.to_thread(is_time)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return
            raise AssertionError("not cancelled")

        asyncio.run(cancelled())

    @property
    def everything(self) -> str:
        """Return all that anybody can see of the attempt, but for its report."""
        return f"{self.seen!r} {self.printed!r}"
