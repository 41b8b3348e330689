"""A desk where changes wait for people: processes that die, people who say anything, and time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from tests.simulation.approvals.policies import (
    ADA,
    BOB,
    CAROL,
    EVE,
    PEOPLE,
    Risk,
    Setting,
    definition_of,
    facts_of,
)
from tests.simulation.processes import Killed, guard
from tests.support.kernel import PERSON, Kernel

from supervisor_ai.domain.envelope import Actor, ActorKind, Envelope, NewEvent
from supervisor_ai.domain.ids import ArtifactHash, LetterKey, RunId, TreeSha, run_stream
from supervisor_ai.domain.people import Person
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.answers import AnswerKind
from supervisor_ai.domain.run.approvals.decision_document import DecisionDocument, DecisionWord
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.inbox_commands import (
    Approve,
    Cancel,
    Command,
    Comment,
    EditChange,
    InboxCommand,
    Migrate,
    Reject,
)
from supervisor_ai.domain.run.status import ENDED, RunStatus
from supervisor_ai.domain.run.values import ApprovalReason, ForkPoint, Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.playback import Opener, Player
from supervisor_ai.engine.ports.gates import ChangeFacts, FactsCase
from supervisor_ai.engine.ports.identities import Identities
from supervisor_ai.engine.ports.ledger import Batch, StreamAppend
from supervisor_ai.engine.ports.notifications import Delivery, Notice
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.engine.runtime import Runtime
from supervisor_ai.engine.world import Timing, World
from supervisor_ai.testing.fake_examiner import FakeExaminer
from supervisor_ai.testing.fake_identities import fake_signature
from supervisor_ai.testing.fake_notifier import MemoryNotifier
from supervisor_ai.testing.fake_worker import FakeReply
from supervisor_ai.testing.virtual_loop import run_virtual
from supervisor_ai.testing.world import says

FILE: Final = "change.txt"
LANDINGS: Final = frozenset({"commit", "land"})
_PATIENCE: Final = 2.0
"""So many seconds a look or a message takes in which somebody writes a letter."""


class Doomed:
    """A process that dies at one of its calls, and does nothing after that."""

    def __init__(self, calls: int | None) -> None:
        self._left = calls
        self.is_alive = True
        self.calls = 0

    def point(self) -> None:
        """Pass a call, or die at it."""
        if not self.is_alive:
            raise Killed
        self.calls += 1
        if self._left is not None and self.calls > self._left:
            self.is_alive = False
            raise Killed

    async def linger(self) -> None:
        """Take no time; the process may die all the same."""
        self.point()


class Who(StrEnum):
    """Who says something, and how that is proven."""

    ADA = "ada, the user of this machine"
    ADA_SIGNED = "ada, by a signature"
    BOB = "bob, by a signature"
    CAROL = "carol, who is no lead, by a signature"
    EVE = "eve, whom nobody knows, by a signature"
    MALLORY = "another user, who proves nothing"
    NAMED = "another user, who claims to be bob"
    WORKER = "a worker"


SIGNERS: Final[Mapping[Who, Person]] = {
    Who.ADA_SIGNED: ADA,
    Who.BOB: BOB,
    Who.CAROL: CAROL,
    Who.EVE: EVE,
}
_SENDERS: Final[Mapping[Who, Actor]] = {
    Who.MALLORY: Actor(kind=ActorKind.USER, id="mallory", via="test", verified=True),
    Who.NAMED: Actor(kind=ActorKind.USER, id="mallory", via="test", verified=True),
    Who.WORKER: Actor(kind=ActorKind.WORKER, id="ada", via="test", verified=True),
}
PROVEN: Final[Mapping[Who, str]] = {
    Who.ADA: "ada-l",
    Who.ADA_SIGNED: "ada-l",
    Who.BOB: "bob",
    Who.CAROL: "carol",
}
MUTE: Final = frozenset({Who.EVE, Who.NAMED, Who.WORKER})
"""Those whose word is nobody's."""


class Flaw(StrEnum):
    """What is wrong with a decision."""

    NONE = "nothing"
    OTHER_TREE = "it is about another tree"
    OTHER_SHOWN = "it is about something else than was shown"
    OTHER_WORD = "the signature is for the opposite"
    REPLAYED = "the signature is for an earlier question"
    COMPLETES = "it is meant for a question about completion"


class Sent(NamedTuple):
    """What the desk knows about a letter, whatever the product makes of it."""

    who: Who
    is_yes: bool
    flaw: Flaw
    run: RunId
    asked: e.ApprovalRequested | None
    seq: int
    """How many events there were when it was sent."""

    @property
    def is_sound(self) -> bool:
        """Tell whether it is somebody's word on exactly what was asked."""
        flaw = self.flaw
        is_signed = self.who in SIGNERS
        if flaw in {Flaw.OTHER_WORD, Flaw.REPLAYED} and not is_signed:
            flaw = Flaw.NONE
        if flaw is Flaw.COMPLETES and not self.is_yes:
            flaw = Flaw.NONE
        return flaw is Flaw.NONE and self.who not in MUTE


@dataclass(slots=True, kw_only=True)
class Interruptions:
    """What happens while something takes its time, once for each kind of deed."""

    assessment: list[Callable[[], None]] = field(default_factory=list)
    notice: list[Callable[[], None]] = field(default_factory=list)

    async def during(self, waiting: list[Callable[[], None]]) -> None:
        """Let somebody act in the middle of a deed, long enough for it to be noticed."""
        if waiting:
            waiting.pop(0)()
            await asyncio.sleep(_PATIENCE)


class DeskExaminer(FakeExaminer):
    """Reads from the change itself how risky it is."""

    def __init__(self, desk: "Desk") -> None:
        super().__init__()
        self._desk = desk

    async def facts(self, case: FactsCase) -> ChangeFacts:  # type: ignore[explicit-override]
        """Say what is known of a change."""
        await self._desk.interruptions.during(self._desk.interruptions.assessment)
        return ChangeFacts(facts=facts_of(self._desk.risk_of(case.head)))


class DeskNotifier:
    """Delivers, and remembers the truth about it."""

    def __init__(self, desk: "Desk", channels: MemoryNotifier) -> None:
        self._desk = desk
        self._channels = channels
        self.delivered: list[tuple[RunId | None, datetime]] = []

    async def deliver(self, notice: Notice) -> tuple[Delivery, ...]:
        """Try each channel once."""
        await self._desk.interruptions.during(self._desk.interruptions.notice)
        tried = await self._channels.deliver(notice)
        if any(at.is_delivered for at in tried):
            self.delivered.append((notice.run, self._channels.clock.now()))
        return tried


class Desk:
    """Runs whose changes wait to land, on one ledger."""

    def __init__(
        self,
        kernel: Callable[[Callable[[WorkerRequest], FakeReply]], Kernel],
        setting: Setting,
        drivers: Callable[[Mapping[str, Opener]], Mapping[str, Opener]] = lambda usual: usual,
        identities: Callable[[Identities], Identities] = lambda usual: usual,
    ) -> None:
        self.setting = setting
        self.work: list[str] = []
        """What the next attempts write; the last one says the same for ever."""
        self._written: dict[tuple[RunId, str, int], str] = {}
        self.kernel = kernel(self._build)
        self.kernel.fakes.identities.known = PEOPLE
        self.interruptions = Interruptions()
        self.notifier = DeskNotifier(self, self.kernel.fakes.notifier)
        self.letters: dict[str, Sent] = {}
        self._altered = (drivers, identities)
        self.world = self._process()
        self.runs = [self.kernel.submit(definition_of(setting))]
        self.settings = {self.kernel.play(self.runs[0]).run.definition: setting}
        self.crashes = 0
        self._sent = 0

    @property
    def clock_now(self) -> datetime:
        """Return the time."""
        return self.kernel.fakes.clock.now()

    def _build(self, request: WorkerRequest) -> FakeReply:
        place = (request.run, request.step, request.visit)
        if place not in self._written:
            # One that was killed is followed by one that writes the same.
            self._written[place] = self.work.pop(0) if len(self.work) > 1 else self.work[0]
        text = self._written[place]
        return FakeReply(output=says(AnswerKind.IMPLEMENTATION), files={FILE: text})

    def risk_of(self, commit: str) -> Risk:
        """Say what a commit is about."""
        files = self.kernel.fakes.workspaces.files(commit)  # type: ignore[arg-type]
        return Risk(files[FILE].split()[0])

    def tree_of(self, commit: str) -> TreeSha:
        """Name the files of a commit."""
        return self.kernel.fakes.workspaces.tree(commit)  # type: ignore[arg-type]

    def _process(self) -> World:
        drivers, identities = self._altered
        world = self.kernel.process()
        return replace(
            world,
            drivers=drivers(world.drivers),
            identities=identities(world.identities),
            examiner=DeskExaminer(self),
            notifier=self.notifier,
            timing=Timing(cache_every=7),
        )

    # Processes

    def drive(self, run: RunId, *, calls: int | None = None) -> None:
        """Drive a run as far as it goes, or until its process dies at one of its calls."""
        doomed = Doomed(calls)
        self.live(run, self._guarded(doomed))

    def live(self, run: RunId, world: World) -> bool:
        """Let a process drive a run as it sees the world; tell whether it survives that."""
        pid = world.processes.current().pid
        runtime = Runtime(world=world, owner=f"process {pid}")
        try:
            self._spend(runtime.drive(run))
        except Killed:
            self.crashes += 1
            self.kernel.kill(pid)
            self.world = self._process()
            return False
        return True

    def _spend(self, main: Awaitable[object]) -> None:
        """Let the time that a drive takes pass for everybody."""

        async def timed() -> float:
            try:
                await main
            except Killed:
                return -1 - asyncio.get_running_loop().time()
            return asyncio.get_running_loop().time()

        took = run_virtual(timed())
        self.kernel.fakes.clock.advance(timedelta(seconds=took if took >= 0 else -1 - took))
        if took < 0:
            raise Killed

    def _guarded(self, doomed: Doomed) -> World:
        world = self.world
        return replace(
            world,
            log=guard(doomed, world.log),
            leases=guard(doomed, world.leases),
            inbox=guard(doomed, world.inbox),
            cache=guard(doomed, world.cache),
            wakes=guard(doomed, world.wakes),
            artifacts=guard(doomed, world.artifacts),
            workspaces=guard(doomed, world.workspaces),
            examiner=guard(doomed, world.examiner),
            notifier=guard(doomed, world.notifier),
            sandbox=guard(doomed, world.sandbox),
            workers=lambda adapter: guard(doomed, world.workers(adapter)),
        )

    def restart(self) -> None:
        """Let the process die while it waits, and another one begin."""
        self.kernel.kill(self.world.processes.current().pid)
        self.world = self._process()

    def advance(self, by: timedelta) -> None:
        """Let time pass."""
        self.kernel.fakes.clock.advance(by)

    # What can be seen

    def envelopes(self, run: RunId) -> list[Envelope]:
        """Return the facts of a run."""
        return self.kernel.envelopes(run)

    def status(self, run: RunId) -> RunStatus:
        """Tell where a run stands."""
        return self.kernel.status(run)

    def asked(self, run: RunId) -> e.ApprovalRequested | None:
        """Return the question that is open."""
        return self.kernel.play(run).run.approval

    def is_over(self, run: RunId) -> bool:
        """Tell whether a run has ended."""
        return self.status(run) in ENDED

    def bad_folds(self) -> Iterator[str]:
        """Find runs whose cached state is not what their facts say."""
        world = self.world
        player = Player(log=world.log, documents=world.documents, drivers=world.drivers)
        for run in self.runs:
            whole, _ = player.play(run)
            cached, _ = replace(player, cache=world.cache).play(run)
            if whole.encode() != cached.encode():
                yield f"The cached state of run {run!r} is not what its facts say."

    # People

    def say(self, run: RunId, who: Who, *, is_yes: bool, flaw: Flaw = Flaw.NONE) -> None:
        """Let somebody decide about what is asked."""
        asked = self.asked(run)
        if asked is None:
            return
        command = self._decision(run, asked, who, is_yes=is_yes, flaw=flaw)
        seq = self.kernel.world.log.head().seq
        sent = Sent(who=who, is_yes=is_yes, flaw=flaw, run=run, asked=asked, seq=seq)
        self.letters[self._send(run, command, _SENDERS.get(who, PERSON))] = sent

    def _decision(
        self, run: RunId, asked: e.ApprovalRequested, who: Who, *, is_yes: bool, flaw: Flaw
    ) -> Approve | Reject:
        note = self.kernel.world.artifacts.put("Because.")
        shown = ArtifactHash("0" * 64) if flaw is Flaw.OTHER_SHOWN else asked.question
        command: Approve | Reject = Reject(
            step=asked.step, visit=asked.visit, tree=asked.tree, note=note, shown=shown
        )
        if is_yes:
            is_completion = asked.reason == ApprovalReason.COMPLETION
            command = Approve(
                step=asked.step,
                visit=asked.visit,
                tree=asked.tree,
                note=note,
                shown=shown,
                completes=is_completion is not (flaw is Flaw.COMPLETES),
            )
        if flaw is Flaw.OTHER_TREE:
            command = replace(command, tree=TreeSha("a" * 40))
        if who is Who.NAMED:
            command = replace(command, person="bob")
        if who in SIGNERS:
            command = replace(command, proof=self._signed(run, command, SIGNERS[who], flaw))
        return command

    def _signed(
        self, run: RunId, command: Approve | Reject, signer: Person, flaw: Flaw
    ) -> ArtifactHash:
        is_yes = isinstance(command, Approve) is not (flaw is Flaw.OTHER_WORD)
        questions = [it for it in self.envelopes(run) if it.type == "ApprovalRequested"]
        asked = questions[-1].recorded_at
        if flaw is Flaw.REPLAYED:
            asked -= timedelta(seconds=1)
        document = DecisionDocument(
            project=self.kernel.fakes.identities.mark,
            run=run,
            step=command.step,
            visit=command.visit,
            asked_at=asked,
            tree=command.tree,
            shown=command.shown,
            decision=DecisionWord.APPROVE if is_yes else DecisionWord.REJECT,
            note=command.note,
        ).text
        signature = fake_signature(str(signer.ssh), document.encode())
        return self.kernel.world.artifacts.put(document + signature.decode())

    def comment(self, run: RunId) -> None:
        """Let somebody say something about a line."""
        asked = self.asked(run)
        if asked is not None:
            text = self.kernel.world.artifacts.put("Why?")
            command = Comment(
                step=asked.step, visit=asked.visit, tree=asked.tree, file=FILE, line=1, text=text
            )
            self._send(run, command)

    def edit(self, run: RunId, content: str) -> None:
        """Let somebody change the files that are asked about."""
        asked = self.asked(run)
        if asked is None:
            return
        workspaces = self.kernel.fakes.workspaces
        files = {**workspaces.files(asked.commit), FILE: content}
        made = workspaces.commit(files, parent=asked.commit)
        edited = Snapshot(commit=made, tree=workspaces.tree(made))
        command = EditChange(step=asked.step, visit=asked.visit, tree=asked.tree, edited=edited)
        self._send(run, command)

    def migrate(self, run: RunId, setting: Setting) -> None:
        """Let a run go on under another definition."""
        definition = self.pin(setting)
        self._send(run, Migrate(definition=definition))

    def pin(self, setting: Setting) -> ArtifactHash:
        """Keep a definition."""
        kept = self.kernel.world.documents.save(definition_of(setting))
        self.settings[kept] = setting
        return kept

    def cancel(self, run: RunId) -> None:
        """Let somebody stop a run."""
        self._send(run, Cancel())

    def fork(self, run: RunId, setting: Setting | None) -> RunId | None:
        """Begin another run where this one came to its landing the last time."""
        entered = [
            at.version
            for at in self.envelopes(run)
            if isinstance(at.event, e.StepEntered) and at.event.step in LANDINGS
        ]
        if not entered:
            return None
        source = self.kernel.play(run).run
        upto = max(entered)
        pinned = [
            at.event.definition
            for at in self.envelopes(run)[:upto]
            if isinstance(at.event, e.RunSubmitted | e.DefinitionMigrated)
        ][-1]
        made = self.kernel.world.ids.run_id()
        birth = replace(
            source.birth,
            definition=self.pin(setting) if setting else pinned,
            branch=f"ai/{made}",
            root=made,
            fork=ForkPoint(run=run, version=upto),
        )
        new = NewEvent(event=birth, actor=PERSON)
        append = StreamAppend(stream=run_stream(made), expected=0, events=(new,))
        self.kernel.world.log.append(Batch(appends=(append,)))
        self.runs.append(made)
        return made

    def pinned(self, definition: ArtifactHash) -> Definition:
        """Return what a run pins."""
        return self.kernel.world.documents.load(definition, Definition)

    def _send(self, run: RunId, command: Command, actor: Actor = PERSON) -> str:
        self._sent += 1
        key = f"letter {self._sent}"
        letter = InboxCommand(
            key=LetterKey(key), run=run, command=command, actor=actor, sent_at=self.clock_now
        )
        self.kernel.world.inbox.put(letter)
        return key
