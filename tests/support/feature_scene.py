"""A feature that is built in memory: what each component's worker writes is said by a table."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tests.support.kernel import Kernel, flow, stop, work
from tests.support.mortal_log import MortalLog

from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.definition import StepKind
from supervisor_ai.domain.run.inbox_commands import Signal
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.definition import FeatureDefinition, workflow_of
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.plan.model import ComponentId, Feature, UndeclaredFiles
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits
from supervisor_ai.drivers.feature.state import FeatureState
from supervisor_ai.engine.ports.sandbox import SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_sandbox import ScriptedReply
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.world import says

NEVER: Final = 10**6
FAILS: Final = "fails"
"""What a table says of a try at which the worker gives up."""

Tries = Sequence[Mapping[str, str] | str]
"""What each try at a component writes; the last counts for all further ones."""


def is_green(files: Mapping[str, str]) -> bool:
    """Judge as the gate of the scene does: left and right do not go together."""
    texts = set(files.values())
    return "red" not in texts and not {"left", "right"} <= texts


class FeatureScene:
    """A kernel, a plan, and workers that do as they are told."""

    def __init__(
        self,
        plan: Feature,
        deeds: Mapping[ComponentId, Tries] | None = None,
        *,
        slots: int = 2,
        max_returns: int = 2,
        speculation: int = 1,
        is_tested: bool = False,
        others: Mapping[str, Mapping[str, str]] | None = None,
        read_only: tuple[str, ...] = (),
        undeclared_files: UndeclaredFiles = UndeclaredFiles.WARN,
        files: Mapping[str, str] | None = None,
        dies_at: int = NEVER,
        is_late: bool = False,
    ) -> None:
        self.plan = plan
        self.told: list[tuple[ComponentId, str]] = []
        self.notes: dict[ComponentId, list[dict[str, str]]] = {}
        self._deeds = deeds or {}
        self._tries: dict[RunId, int] = {}
        self._counts: dict[ComponentId, int] = {}
        self.kernel = Kernel(
            None, agent=self._work, gates=self._judge, files={"README": "hi", **(files or {})}
        )
        self.kernel.others.update({path: dict(it) for path, it in (others or {}).items()})
        self.log = MortalLog(self.kernel.world.log, dies_at, is_late=is_late)
        self._process = 1
        self._is_tested = is_tested
        made = self._definition(slots, max_returns, read_only)
        self.definition = replace(made, speculation=speculation, undeclared_files=undeclared_files)
        self.run = self.kernel.submit(self.definition, driver=FeatureDriver.name)
        self._world = replace(self.kernel.world, log=self.log)

    def _definition(
        self, slots: int, max_returns: int, read_only: tuple[str, ...]
    ) -> FeatureDefinition:
        steps = [work("implement"), stop("test", StepKind.GATE), stop("commit", StepKind.COMMIT)]
        child = flow(*(steps if self._is_tested else (steps[0], steps[2])))
        gates = child.gates if self._is_tested else {}
        pinned = self.kernel.world.documents.save(replace(child, gates=gates, read_only=read_only))
        names = [it.id for it in self.plan.components]
        return FeatureDefinition(
            workflow=workflow_of(self.plan),
            roles=child.roles,
            clis=child.clis,
            gates=child.gates,
            feature=self.plan,
            slots=ParallelLimits(max_parallel=slots),
            max_returns=max_returns,
            children=dict.fromkeys(names, pinned),
            child_workflows=dict.fromkeys(names, "test"),
            child_driver="workflow",
        )

    def _work(self, request: WorkerRequest) -> FakeReply:
        name = next(it.id for it in self.plan.components if f"({it.id})" in request.prompt)
        if request.run not in self._tries:
            self._tries[request.run] = self._counts.get(name, 0)
            self._counts[name] = self._tries[request.run] + 1
            self.told.append((name, request.prompt))
        usual = [{f"src/{name}": "done"}]
        tries = self._deeds.get(name, usual)
        deed = tries[min(self._tries[request.run], len(tries) - 1)]
        if isinstance(deed, str):
            return FakeReply(output=says(AnswerKind.IMPLEMENTATION, "FAILED"))
        notes = self.notes.get(name)
        return FakeReply(output=says(AnswerKind.IMPLEMENTATION, notes=notes), files=deed)

    def _judge(self, spec: SandboxSpec) -> ScriptedReply:
        sources = {mount.source for mount in spec.mounts}
        workspaces = self.kernel.fakes.workspaces
        found = [it for path, it in workspaces._directories.items() if path in sources]
        return ScriptedReply(exit_code=0 if all(is_green(it.files) for it in found) else 1)

    # Driving

    def go(self) -> None:
        """Drive the feature and its components, one after the other, until nobody can go on."""
        for _ in range(400):
            before = self.kernel.world.log.head().seq
            for run in self._runs():
                self._drive(run)
            if self.kernel.world.log.head().seq == before:
                return
        raise AssertionError("It never comes to rest.")

    def _runs(self) -> list[RunId]:
        children = [it.child for it in self.kernel.events(self.run, e.ChildStarted)]
        return [run for run in (self.run, *children) if self.kernel.status(run) not in ENDED]

    def _drive(self, run: RunId) -> None:
        waits = self.kernel.play(run).run
        has_letters = bool(self.kernel.world.inbox.pending(run))
        if not has_letters and self._rests(waits.open.values(), waits.children.values()):
            return
        try:
            self.kernel.drive(run, world=self._world)
        except KeyboardInterrupt:
            self.kernel.kill(self._process)
            self._world = self.kernel.process()
            self._process = self._world.processes.current().pid
            self.kernel.world = self._world
            self.kernel.drive(run, world=self._world)

    @staticmethod
    def _rests(opened: Collection[object], children: Collection[object]) -> bool:
        """Tell whether a run has nothing to do until somebody writes to it."""
        is_asked = any(isinstance(it, e.RequestMade) for it in opened)
        return is_asked or (not opened and any(it not in ENDED for it in children))

    def say(self, words: str) -> None:
        """Tell the feature something."""
        self.kernel.send(
            self.run, f"{words} {self.kernel.world.log.head().seq}", Signal(signal=words)
        )

    # Looking

    @property
    def state(self) -> FeatureState:
        """Fold the facts of the feature."""
        driver = FeatureDriver()
        first, *rest = [it.event for it in self.kernel.envelopes(self.run)]
        assert isinstance(first, e.RunSubmitted)
        state = driver.begin(first, self.definition)
        for event in rest:
            state = driver.evolve(state, event)
        return state

    def statuses(self) -> dict[str, str]:
        """Tell where each component stands."""
        return {it.id: self.state.part(it.id).status.value for it in self.plan.components}

    def steps(self, kind: type[e.PlacedEvent]) -> list[str]:
        """Name the steps of all facts of a kind, in their order."""
        return [str(it.step) for it in self.kernel.events(self.run, kind)]

    def branch(self) -> list[CommitSha]:
        """List the commits of the feature's branch, the first one first."""
        workspaces = self.kernel.fakes.workspaces
        birth = self.kernel.events(self.run, e.RunSubmitted)[0]
        found: list[CommitSha] = []
        commit = workspaces.branches.get(birth.branch or "")
        while commit is not None and birth.base is not None and commit != birth.base.sha:
            found.append(commit)
            commit = workspaces.commits[commit].parent
        return found[::-1]

    def lost(self) -> list[str]:
        """Name the files that a commit of the branch took away: no component of a scene does."""
        workspaces = self.kernel.fakes.workspaces
        return [
            path
            for old, new in pairwise(self.branch())
            for path in workspaces.files(old)
            if path not in workspaces.files(new)
        ]

    def files(self) -> Mapping[str, str]:
        """Return the files at the end of the branch."""
        return self.kernel.fakes.workspaces.files(self.branch()[-1])

    def check(self) -> None:
        """Hold the branch against what is promised: each commit is green and landed once."""
        workspaces = self.kernel.fakes.workspaces
        commits = self.branch()
        assert all(is_green(workspaces.files(it)) for it in commits)
        keys = [workspaces.commits[it].key for it in commits]
        assert len(keys) == len(set(keys))
        landed = self.kernel.events(self.run, e.IntegrationLanded)
        assert [it.commit for it in landed] == commits
