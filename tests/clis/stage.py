"""A real CLI in the real worker sandbox, and a scripted model behind the broker."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

import pytest
from tests.clis.strays import strays
from tests.clis.vocabulary import VOCABULARIES, Turn, Vocabulary
from tests.support.known_tools import known_tools
from tests.support.plain_machine import plain_path

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Broker, Cli, SandboxPolicy
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, Mount
from supervisor_ai.engine.ports.workers import Observation, WorkerReport, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.workers.agent_worker import AgentWorker
from supervisor_ai.workers.agents import DIALECTS, PROFILES
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.launch.order import LaunchOrder, order_of
from supervisor_ai.workers.launch.profile import LaunchProfile

KEY: Final = "sk-not-for-workers-3141592653"
CACHE: Final = Path(
    os.environ.get("SUPERVISOR_CLI_CACHE") or Path.home() / ".cache" / "supervisor-clis"
)
_ELSEWHERE: Final = {
    os.path.dirname(found)  # noqa: PTH120 - as it stands on the PATH
    for name in PROFILES
    if (found := shutil.which(name))
}
PATH: Final = ":".join((str(CACHE / "bin"), plain_path(), *sorted(_ELSEWHERE)))
INSTALLED: Final = ("claude", "codex", "gemini")
"""What scripts/install-clis installs; the others are tried where they are on the PATH."""
KEYS: Final = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), KEY)


class Model(Protocol):
    """Where a scripted model listens, in this process or in another."""

    @property
    def url(self) -> str: ...


def require(adapter: str) -> None:
    """Skip, and say why, where the CLI is missing."""
    is_there = shutil.which(adapter, path=PATH) is not None
    if is_there and (adapter not in INSTALLED or (CACHE / ".stamp").exists()):
        return
    reason = CACHE / "reason"
    why = reason.read_text().strip() if reason.exists() else "run scripts/install-clis"
    pytest.skip(f"{adapter} is not installed: {why}")


@dataclass(eq=False)
class Stage:
    """A workspace for one CLI, and everything that came of a run."""

    adapter: str
    ground: Path
    shared: BubblewrapSandbox | None = None
    """The sandbox of a supervisor that has other workers too."""
    heard: list[tuple[Channel, bytes]] = field(default_factory=list)
    observed: list[Observation] = field(default_factory=list)
    refused: list[EgressRefusal] = field(default_factory=list)

    @property
    def tree(self) -> Path:
        return self.ground / "tree"

    @property
    def words(self) -> Vocabulary:
        return VOCABULARIES[self.adapter]

    @property
    def profile(self) -> LaunchProfile:
        return PROFILES[self.adapter]

    @property
    def said(self) -> str:
        return b"".join(piece for _, piece in self.heard).decode(errors="replace")

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            place = self.tree / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def broker(self, lab: Model) -> Broker:
        """Return the CLI's own broker with another upstream, as a user would configure it."""
        own = self.profile.broker
        assert own is not None
        upstream = lab.url + urlsplit(own.upstream).path
        return replace(own, upstream=upstream, is_local=True)

    def request(self, lab: Model, **changes: object) -> WorkerRequest:
        model = f":{self.words.model}" if self.words.model else ""
        request = WorkerRequest(
            run=RunId("r1"),
            step=StepName("implement"),
            visit=1,
            slot=0,
            attempt=1,
            role="implementer",
            cli=Cli(name=f"{self.adapter}{model}", adapter=self.adapter, broker=self.broker(lab)),
            prompt="Do it. ✓",
            workspace=Workspace(
                run=RunId("r1"),
                key=EffectKey("k"),
                path=self.tree,
                start=CommitSha("c"),
                mounts=(Mount(source=self.tree, target=self.tree, is_writable=True),),
            ),
            program=self.ground,
            label=f"{self.ground.name}/implement/1/0/worker/1",
            fence=0,
            timeout=timedelta(seconds=90),
            output_bytes=10_000_000,
            sandbox=SandboxPolicy(),
            egress=(),
            on_refusal=self.refused.append,
            on_observation=self.observed.append,
        )
        return replace(request, **changes)  # type: ignore[arg-type]

    def worker(
        self, profile: LaunchProfile | None = None, order: LaunchOrder | None = None
    ) -> AgentWorker:
        launcher = Launcher(profile or self.profile)
        find = order_of if order is None else lambda _: order
        return AgentWorker(
            DIALECTS[self.adapter], launcher, self.sandbox(), self.host, order_of=find
        )

    @property
    def host(self) -> dict[str, str]:
        return {"PATH": PATH, "HOME": str(Path.home()), **KEYS}

    def sandbox(self) -> BubblewrapSandbox:
        state = known_tools(self.ground / "state")
        return self.shared or BubblewrapSandbox(state=state, environment=self.host)

    def play(
        self,
        lab: Model,
        *,
        profile: LaunchProfile | None = None,
        order: LaunchOrder | None = None,
    ) -> WorkerReport:
        """Run the CLI from its start to its end, after which nobody is there any more."""
        return self.attend(self.worker(profile, order), self.request(lab))

    def attend(self, worker: AgentWorker, request: WorkerRequest) -> WorkerReport:
        report = asyncio.run(worker.run(request, self.hear))
        assert strays(self.ground) == []
        return report

    def hear(self, channel: Channel, piece: bytes) -> None:
        self.heard.append((channel, piece))


def conversation(*turns: Turn) -> dict[str, object]:
    """Script a conversation in which repeats and side calls move nothing."""
    return {"scenarios": [{"cursor": "history", "turns": list(turns)}]}
