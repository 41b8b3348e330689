"""A session that is watched over while things happen to it, and what is left of it in the end."""

from functools import singledispatchmethod

from msgspec import Struct
from tests.simulation.sessions import acts as a
from tests.support.checkpoint_scene import (
    BAD,
    FOLDER,
    GOOD,
    WRITER,
    CheckpointScene,
    judges,
    resident,
    strict_spec,
)
from tests.support.kernel import Kernel
from tests.support.mortal_log import MortalLog

from supervisor_ai.control.sessions.bus import Message, Post
from supervisor_ai.domain.ids import ArtifactHash, RunId
from supervisor_ai.domain.run.inbox_commands import Approve, Cancel, Reject, Signal
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.accumulator import Accumulator
from supervisor_ai.engine.world import Performers, World


class Remains(Struct, frozen=True, kw_only=True):
    """What is left of a story; nothing in it may depend on who died."""

    messages: tuple[Message, ...]
    tasks: dict[str, TaskStatus]
    files: dict[str, bytes]
    remembered: Accumulator
    """What the last supervisor knew."""
    rebuilt: Accumulator
    """What one knows that begins anew after it."""
    statuses: tuple[RunStatus, ...]
    """How the supervisors ended, in their order."""
    farewells: int
    """How many of them were asked to end, or stopped by a person."""
    reports: int
    """How many reports were written."""


class Watched:
    """A session with supervisors that come and go, each driven by processes that die."""

    def __init__(self, story: a.Story, performers: Performers | None = None) -> None:
        self.at = CheckpointScene(Kernel(None, agent=judges()), folder=FOLDER)
        self._performers = performers or {}
        self._deaths = list(story.deaths)
        self._world = self._process()
        self._runs: list[RunId] = []
        self._stopped = 0
        self._count = 0
        self._begin(recovery=False)
        for act in story.acts:
            self._do(act)
        self._finish()

    def _process(self) -> World:
        """Start a process that dies after some writes, as long as the story has deaths."""
        world = self.at.kernel.process()
        self.at.kernel.world = world
        world = replace(world, performers={**world.performers, **self._performers})
        if not self._deaths:
            return world
        dies_at, is_late = self._deaths.pop(0)
        return replace(world, log=MortalLog(world.log, dies_at, is_late=is_late))

    def _begin(self, *, recovery: bool) -> None:
        definition = resident(strict_spec(), has_judge=True, recovery=recovery)
        self._runs.append(self.at.kernel.submit(definition, driver="checkpoint"))
        self._drive()

    @property
    def _run(self) -> RunId:
        return self._runs[-1]

    def _drive(self) -> None:
        """Let the supervisor do what there is to do, whoever dies meanwhile."""
        while True:
            try:
                self.at.kernel.drive(self._run, world=self._world)
            except KeyboardInterrupt:
                self.at.kernel.kill(self._world.processes.current().pid)
                self._world = self._process()
            else:
                return

    @singledispatchmethod
    def _do(self, act: a.Act) -> None:
        raise AssertionError(act)

    @_do.register
    def _write(self, act: a.Write) -> None:
        if self.at.status(act.task) is TaskStatus.PENDING:
            self.at.write(act.task, None if act.is_good else BAD)
        elif act.task == "DRAFT-001":
            path = "spec/product-brief.md"
            text = GOOD if act.is_good else BAD
            self.at.kernel.session_files.files.setdefault(FOLDER, {})[path] = text.encode()

    @_do.register
    def _ask(self, act: a.Ask) -> None:
        for _ in range(act.times):
            self.at.ask(act.task)

    @_do.register
    def _mumble(self, act: a.Mumble) -> None:
        bus = self.at.bus(WRITER) if act.sender == "writer" else self.at.bus()
        bus.log(Post(kind="message", summary="Look at it, please.", to="supervisor"))

    @_do.register
    def _retry(self, act: a.Retry) -> None:
        del act
        self._count += 1
        words = "## Checkpoint Request\ntask_id: CHECKPOINT-003\nscope: [PLAN-001]"
        post = Post(kind="message", summary=words, to="supervisor", key=f"once {self._count // 2}")
        self.at.bus().log(post)

    @_do.register
    def _decide(self, act: a.Decide) -> None:
        asked = self.at.kernel.play(self._run).run.approval
        if asked is None:
            return
        make = Approve if act.is_approval else Reject
        note = self.at.kernel.world.artifacts.put("So be it.")
        word = make(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
        self._count += 1
        self.at.kernel.send(self._run, f"word {self._count}", word)

    @_do.register
    def _wake(self, act: a.Wake) -> None:
        del act
        self._count += 1
        self.at.kernel.send(self._run, f"wake {self._count}", Signal(signal="message"))

    @_do.register
    def _drive_on(self, act: a.Drive) -> None:
        del act
        if self.at.kernel.status(self._run) in ENDED:
            self._begin(recovery=True)
        self._drive()

    @_do.register
    def _leave(self, act: a.Leave) -> None:
        del act
        bye = {"request_id": "r-1"}
        self.at.bus().log(Post(kind="shutdown_request", summary="Bye", data=bye, to="supervisor"))

    @_do.register
    def _replace(self, act: a.Replace) -> None:
        del act
        self._drive()
        if self.at.kernel.status(self._run) not in ENDED:
            self._stopped += 1
            self.at.kernel.send(self._run, f"stop {self._run}", Cancel(reason=None))
            self._drive()
        self._begin(recovery=True)

    def _finish(self) -> None:
        """Let everything be answered that was asked, and every block be overridden."""
        while True:
            self._drive_on(a.Drive())
            if self.at.kernel.status(self._run) in ENDED:
                continue
            if self.at.kernel.play(self._run).run.approval is None:
                return
            self._decide(a.Decide(is_approval=True))

    def remains(self) -> Remains:
        """Tell what is left."""
        at, kernel = self.at, self.at.kernel
        messages = [at.bus().read(f"MSG-{n + 1:03}") for n in range(self._newest())]
        statuses = tuple(map(kernel.status, self._runs))
        remembered = self._remembered()
        farewells = sum(it.type == "shutdown_response" for it in messages) + self._stopped
        kernel.send(self._run, "the end", Cancel(reason=None))
        kernel.drive(self._run)
        files = dict(kernel.session_files.files.get(FOLDER, {}))
        again = at.start(resident(strict_spec(), has_judge=True, recovery=True))
        [read] = kernel.events(again, k.SessionRead)
        return Remains(
            messages=tuple(messages),
            tasks={it.id: it.status for it in at.tasks.list()},
            files=files,
            remembered=self._loaded(remembered),
            rebuilt=self._loaded(read.accumulator),
            statuses=statuses,
            farewells=farewells,
            reports=sum(len(kernel.events(run, k.ReportWritten)) for run in self._runs),
        )

    def _loaded(self, kept: ArtifactHash) -> Accumulator:
        return self.at.kernel.world.documents.load(kept, Accumulator)

    def _newest(self) -> int:
        return self.at.desk.view(self.at.session).refresh().messages

    def _remembered(self) -> ArtifactHash:
        kinds = (k.SessionRead, k.ContextAccumulated)
        found = [
            it.event.accumulator
            for it in self.at.kernel.envelopes(self._run)
            if isinstance(it.event, kinds)
        ]
        return found[-1]
