"""A project with gates to try, without a process."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from supervisor_ai.control.commands.gates.gate_check import CheckQuestion, CheckView, check
from supervisor_ai.control.ports.definitions import GateSummary, Loaded, Power, TrustCheck
from supervisor_ai.control.settings import Policy
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, StepName
from supervisor_ai.domain.run.definition import (
    Definition,
    Gate,
    SandboxPolicy,
    Workflow,
)
from supervisor_ai.domain.run.gates import Finding, GateKind, GateWord
from supervisor_ai.domain.run.values import Base
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.world import Fakes, fake_world, passes

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

POWER: Final = Power(file="config.yaml", line=1, key="gates.test.command", value="pytest")
FINDING: Final = Finding(rule="test_deleted", message="It is gone.", file="t.py", line=3)


def gate(name: str, kind: GateWord, *command: str) -> Gate:
    return Gate(name=name, kind=kind, command=command, timeout=timedelta(minutes=1))


GATES: Final = {
    "test": gate("test", GateKind.COMMAND, "pytest"),
    "test_integrity": gate("test_integrity", GateKind.TEST_INTEGRITY),
    "claims": gate("claims", GateKind.CLAIMS),
    "red_before_green": gate("red_before_green", GateKind.RED_BEFORE_GREEN, "pytest"),
}


def fails(spec: SandboxSpec) -> ScriptedReply:
    del spec
    return ScriptedReply(output=((Channel.STDOUT, b"1 failed\n"),), exit_code=1)


def missing(spec: SandboxSpec) -> None:
    del spec


@dataclass
class Shelf:
    """As much of a catalogue as a check needs."""

    gates_of: Mapping[str, Gate]
    sandbox: SandboxPolicy
    summaries: Sequence[GateSummary] = ()
    asked: list[CommitSha] = field(default_factory=list)
    at: dict[CommitSha, Sequence[GateSummary] | InvalidInput] = field(default_factory=dict)
    """What a certain commit says about gates, or what is wrong with it."""

    def gates(self, commit: CommitSha) -> Sequence[GateSummary]:
        self.asked.append(commit)
        found = self.at.get(commit, self.summaries)
        if isinstance(found, InvalidInput):
            raise found
        return found

    def gate(self, commit: CommitSha, name: str) -> Gate:
        self.asked.append(commit)
        if name not in self.gates_of:
            raise NotFound(f"No gate {name!r}.")
        return self.gates_of[name]

    def load(self, commit: CommitSha, *, workflow: str | None, cli: str | None) -> Loaded:
        del commit, workflow, cli
        flow = Workflow(name="w", description="", initial_step=StepName("a"), steps={})
        pinned = Definition(workflow=flow, roles={}, clis={}, gates={}, sandbox=self.sandbox)
        return Loaded(definition=pinned, powers=(POWER,))


@dataclass
class Checkout:
    """A repository that knows commits by name."""

    named: Mapping[str | None, Base]
    root: Path = Path("/project")
    configured: frozenset[CommitSha] = frozenset()
    """The commits that have definitions of their own."""

    def list(self, commit: CommitSha, directory: str) -> tuple[str, ...]:
        return (f"{directory}/config.yaml",) if commit in self.configured else ()

    def resolve(self, ref: str | None) -> Base:
        if ref not in self.named:
            raise NotFound(f"No commit is called {ref!r}.")
        return self.named[ref]


@dataclass
class Trust:
    """A user who agreed to everything, or to nothing."""

    is_trusted: bool

    def check(self, powers: tuple[Power, ...]) -> TrustCheck:
        return TrustCheck(is_trusted=self.is_trusted, added=powers, removed=())


@dataclass
class Desk:
    """As much of a preflight as a check needs."""

    catalog: Shelf
    repository: Checkout
    trust: Trust
    policy: Policy = field(default_factory=Policy)
    checkout: Path = Path("/nowhere")


class Place:
    """As much of a project as a check needs."""

    def __init__(
        self,
        script: Callable[[SandboxSpec], ScriptedReply | None] = passes,
        *,
        is_trusted: bool = True,
    ) -> None:
        self.fakes = Fakes(gates=script)
        commits = self.fakes.workspaces
        self.old = commits.commit({"t.py": "old"})
        self.new = commits.commit({"t.py": "new"}, parent=self.old)
        old, new = (
            Base(ref=name, sha=sha, tree=commits.tree(sha))
            for name, sha in (("main~1", self.old), ("main", self.new))
        )
        named = {None: new, "main": new, f"{self.new}~1": old, "old": old}
        self.shelf = Shelf(GATES, SandboxPolicy(backend="podman"))
        self.preflight = Desk(self.shelf, Checkout(named), Trust(is_trusted))
        self.world = fake_world(self.fakes)
        self.chosen: list[str] = []

    @property
    def repository(self) -> Checkout:
        return self.preflight.repository

    def runtimes(self, name: str) -> Runtime:
        self.chosen.append(name)
        return Runtime(world=self.world, owner="ada")

    def check(self, question: CheckQuestion) -> CheckView:
        return asyncio.run(check(cast("OpenProject", self), question))

    def finding(self, *findings: Finding) -> None:
        """Let the examiner find these."""

        def opinion(kind: GateWord, case: ChangeCase) -> Examination:
            del kind, case
            return Examination(findings=findings, summary="2 tests were compared.")

        self.fakes.examiner.opinion = opinion
