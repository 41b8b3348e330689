"""What the worker sandbox, the broker and the watching add to a session of a real CLI."""

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.run.definition import Broker, Cli, SandboxPolicy
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.engine.transcript import Transcript
from supervisor_ai.lab.server import LabServer
from supervisor_ai.sandboxes.bwrap.sandbox import BubblewrapSandbox
from supervisor_ai.store.files.artifacts import FileArtifacts
from supervisor_ai.workers.agent_worker import AgentWorker
from supervisor_ai.workers.agents import DIALECTS, PROFILES
from supervisor_ai.workers.environment import DOOR
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.launch.order import order_of

CACHE = Path(os.environ.get("SUPERVISOR_CLI_CACHE") or Path.home() / ".cache" / "supervisor-clis")
PATH = f"{CACHE / 'bin'}:/usr/local/bin:/usr/bin:/bin"
PAIRS = 2
CALLS = 10
KEY = "sk-not-a-key"
WORK = "sort -r README.md | sha256sum >> notes.txt; wc -l notes.txt"
ANSWER = {"text": "Done."}
NOTE = f"""
Medians of {PAIRS} pairs that take turns. Both sides run the same command line with a fresh home
against the same scripted model, which answers at once: with a real model, which thinks for seconds,
the share is smaller. As a worker, the CLI runs in its sandbox, its requests go through the broker,
and its output is watched, cleaned of secrets and kept; its home is in memory."""
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
HOST = {"PATH": PATH, "HOME": str(Path.home()), **dict.fromkeys(KEYS, KEY)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """How the scripted model asks a CLI for a command, and which model it has to be for that."""

    tool: str
    key: str
    model: str | None = None


TONGUES = {
    "claude": Tongue(tool="Bash", key="command"),
    "codex": Tongue(tool="exec_command", key="cmd", model="gpt-5.5-codex"),
    "gemini": Tongue(tool="run_shell_command", key="command"),
}


def clis() -> Iterator[str]:
    """Time sessions of every CLI that is installed, bare and as our worker, in turns."""
    yield "| session | bare: ms | as a worker: ms | added: ms | ratio |\n|---|---:|---:|---:|---:|"
    for adapter in TONGUES:
        if shutil.which(adapter, path=PATH) is None:
            print(f"{adapter} is missing and left out: scripts/install-clis", file=sys.stderr)
            continue
        for calls, name in ((0, "one turn"), (CALLS, f"{CALLS} tool calls")):
            bare, ours = (statistics.median(times) for times in _measure(adapter, calls))
            added = f"{(ours - bare) * 1000:,.0f} | {ours / bare:.2f}"
            yield f"| {adapter}, {name} | {bare * 1000:,.0f} | {ours * 1000:,.0f} | {added} |"
    yield NOTE


def _measure(adapter: str, calls: int) -> tuple[list[float], list[float]]:
    """Let the two take turns, and each go first as often; the first pair only warms up."""
    bare: list[float] = []
    ours: list[float] = []
    with (
        LabServer(_script(TONGUES[adapter], calls)) as lab,
        asyncio.Runner() as runner,
        tempfile.TemporaryDirectory(dir="/var/tmp") as directory,
    ):
        desk = _desk(adapter, lab, Path(directory), runner)
        rounds = [(desk.bare, bare), (desk.ours, ours)]
        for number in range(PAIRS + 1):
            for run, times in rounds if number % 2 else reversed(rounds):
                times.append(run(desk.tree(len(bare) + len(ours))))
            _check(lab, calls + 1)
    return bare[1:], ours[1:]


def _script(tongue: Tongue, calls: int) -> dict[str, object]:
    """Let every call differ, as Gemini CLI stops a model that repeats itself."""
    turns = [
        {"tool": {"name": tongue.tool, "input": {tongue.key: f"{WORK} # {number}"}}}
        for number in range(calls)
    ]
    return {"cursor": "history", "scenarios": [{"turns": [*turns, ANSWER]}]}


def _check(lab: LabServer, turns: int) -> None:
    """Two whole sessions, or the numbers mean nothing."""
    asked = [seen.answered for seen in lab.requests if seen.place != "side"]
    if asked[-2 * turns :] != [*range(turns)] * 2:
        sys.exit(f"the sessions did not go as the script says: {asked[-2 * turns :]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """One CLI, its model, and room for the workspaces of all sessions."""

    adapter: str
    lab: LabServer
    ground: Path
    runner: asyncio.Runner
    sandbox: BubblewrapSandbox

    def tree(self, number: int) -> Path:
        tree = self.ground / str(number)
        tree.mkdir()
        (tree / "README.md").write_text("".join(f"line {line}\n" for line in range(20_000)))
        return tree

    def bare(self, tree: Path) -> float:
        """Start the CLI with the same words in a fresh home, and wait for its end."""
        request = self._request(tree)
        launch = Launcher(PROFILES[self.adapter]).plan(order_of(request))
        home = tree.with_name(f"{tree.name}-home")
        for path, text in launch.files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text)
        home.mkdir(exist_ok=True)
        broker = self._broker
        environment = {
            "PATH": PATH,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
            **launch.environment,
            broker.base_url: broker.upstream,
            str(broker.placeholder): KEY,
        }
        words = [word.replace(DOOR, broker.upstream) for word in launch.words]
        command = [str(shutil.which(self.adapter, path=PATH)), *words]
        begun = time.perf_counter()
        subprocess.run(
            command,
            cwd=tree,
            env=environment,
            input=request.prompt.encode(),
            capture_output=True,
            check=True,
        )
        return time.perf_counter() - begun

    def ours(self, tree: Path) -> float:
        """Start the CLI as a worker, and keep what it says as an attempt does."""
        request = self._request(tree)
        launcher = Launcher(PROFILES[self.adapter])
        worker = AgentWorker(DIALECTS[self.adapter], launcher, self.sandbox, HOST)
        begun = time.perf_counter()
        transcript = Transcript(
            FileArtifacts(self.ground / "artifacts"), RuleRedactor(), lambda _: None
        )
        report = self.runner.run(worker.run(request, transcript.write))
        self.runner.run(transcript.finish())
        seconds = time.perf_counter() - begun
        if report.output != ANSWER["text"]:
            sys.exit(f"the worker did not answer: {report}")
        return seconds

    @property
    def _broker(self) -> Broker:
        own = PROFILES[self.adapter].broker
        if own is None:
            sys.exit(f"{self.adapter} has no way to its model")
        return replace(own, upstream=self.lab.url + urlsplit(own.upstream).path, is_local=True)

    def _request(self, tree: Path) -> WorkerRequest:
        model = TONGUES[self.adapter].model
        name = f"{self.adapter}:{model}" if model else self.adapter
        run = RunId("bench")
        return WorkerRequest(
            run=run,
            step=StepName("bench"),
            visit=1,
            slot=0,
            attempt=1,
            role="implementer",
            cli=Cli(name=name, adapter=self.adapter, broker=self._broker),
            prompt="Do it.",
            workspace=Workspace(
                run=run,
                key=EffectKey("bench"),
                path=tree,
                start=CommitSha("bench"),
                mounts=(Mount(source=tree, target=tree, is_writable=True),),
            ),
            program=self.ground,
            label="bench",
            fence=0,
            timeout=timedelta(minutes=5),
            output_bytes=10_000_000,
            sandbox=SandboxPolicy(),
            egress=(),
            on_refusal=print,
        )


def _desk(adapter: str, lab: LabServer, ground: Path, runner: asyncio.Runner) -> _Desk:
    ground.chmod(0o755)
    sandbox = BubblewrapSandbox(state=ground / "state", environment=HOST)
    return _Desk(adapter=adapter, lab=lab, ground=ground, runner=runner, sandbox=sandbox)
