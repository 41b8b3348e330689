"""Any order of what people, time, crashes and other definitions may do to a change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tests.simulation.approvals.desk import Desk, Flaw, Who
from tests.simulation.approvals.oracle import broken_rules
from tests.simulation.approvals.policies import Risk, Rules, Setting
from tests.support.kernel import Kernel
from typing_extensions import override

from supervisor_ai.domain.ids import RunId
from supervisor_ai.engine.playback import Opener
from supervisor_ai.engine.ports.identities import Identities
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply

MOST_RUNS: Final = 3
RISKS = st.sampled_from(Risk)
CONTENTS = st.builds("{} {}".format, RISKS.map(lambda it: it.value), st.integers(0, 1))
POLICIES = st.sampled_from((*(Rules.SEED,) * 5, *Rules))
REST: Final = -1
"""Nobody drives the run now."""
NEVER: Final = 10_000
"""The process that drives it does not die."""
ENDS = st.one_of(st.just(NEVER), st.just(NEVER), st.just(REST), st.integers(0, 90))
"""After how many calls the process dies that drives a run."""
MINUTES = st.sampled_from((1, 9, 29, 30, 31, 121, 151, 7 * 24 * 60))
FLAWS = st.sampled_from((*(Flaw.NONE,) * 8, *Flaw))
WHO = st.sampled_from((Who.ADA, Who.ADA, Who.BOB, Who.BOB, *Who))


class Fuss(StrEnum):
    """What else somebody does."""

    COMMENT = "a comment on a line"
    BREAK = "the channel does not work any more"
    MEND = "the channel works again"
    CANCEL = "the run is cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of the product that a planted bug takes the place of."""

    drivers: Callable[[Mapping[str, Opener]], Mapping[str, Opener]] = lambda usual: usual
    identities: Callable[[Identities], Identities] = lambda usual: usual


RIGHT: Final = Parts()


class Start(NamedTuple):
    """How a desk begins, what its workers write, and what is said there again and again."""

    setting: Setting
    work: tuple[str, ...]
    speech: tuple[Who, bool] | None = None


Build = Callable[[WorkerRequest], FakeReply]


class Orders(RuleBasedStateMachine):
    """Things happen in any order; nothing lands without what its level demands."""

    parts: Parts = RIGHT
    start: Start | None = None
    """Where to begin to look; None: anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.desk: Desk | None = None
        self._kernels: list[Kernel] = []

    def open_kernel(self, build: Build) -> Kernel:
        """Begin with an empty ledger."""
        self._kernels.append(Kernel(None, build))
        return self._kernels[-1]

    @initialize(
        rules=POLICIES,
        is_quiet=st.booleans(),
        auto_commit=st.booleans(),
        human=st.sampled_from((False, False, True)),
        work=st.lists(CONTENTS, min_size=1, max_size=3),
    )
    def begin(
        self,
        rules: Rules,
        is_quiet: bool,  # noqa: FBT001 - hypothesis names it
        auto_commit: bool,  # noqa: FBT001 - likewise
        human: bool,  # noqa: FBT001 - likewise
        work: list[str],
    ) -> None:
        setting = Setting(rules=rules, is_quiet=is_quiet, auto_commit=auto_commit, human=human)
        if self.start is not None:
            setting, work = self.start.setting, list(self.start.work)
        self.desk = Desk(self.open_kernel, setting, self.parts.drivers, self.parts.identities)
        self.desk.work = work

    @rule(number=st.integers(0, 2), end=ENDS)
    def drive(self, number: int, end: int) -> None:
        self._drive(number, end)

    @rule(
        number=st.integers(0, 2),
        who=WHO,
        is_yes=st.sampled_from((True, True, False)),
        flaw=FLAWS,
        end=ENDS,
    )
    def decide(
        self,
        number: int,
        who: Who,
        is_yes: bool,  # noqa: FBT001 - hypothesis names it
        flaw: Flaw,
        end: int,
    ) -> None:
        self._desk.say(self._run(number), who, is_yes=is_yes, flaw=flaw)
        self._drive(number, end)

    @rule(number=st.integers(0, 2), minutes=MINUTES, end=ENDS)
    def wait(self, number: int, minutes: int, end: int) -> None:
        self._desk.advance(timedelta(minutes=minutes))
        self._drive(number, end)

    @rule(number=st.integers(0, 2), is_ada=st.booleans())
    def agree(self, number: int, is_ada: bool) -> None:  # noqa: FBT001 - hypothesis names it
        who, is_yes = Who.ADA if is_ada else Who.BOB, True
        if self.start is not None and self.start.speech is not None:
            who, is_yes = self.start.speech
        self._desk.say(self._run(number), who, is_yes=is_yes)
        self._drive(number, NEVER)

    @rule(number=st.integers(0, 2), minutes=st.sampled_from((31, 151)))
    def wait_long(self, number: int, minutes: int) -> None:
        self._desk.advance(timedelta(minutes=minutes))
        self._drive(number, NEVER)

    @rule(number=st.integers(0, 2), fuss=st.sampled_from((*Fuss, *(Fuss.COMMENT, Fuss.MEND) * 3)))
    def fuss(self, number: int, fuss: Fuss) -> None:
        broken = self._desk.kernel.fakes.notifier.broken
        match fuss:
            case Fuss.COMMENT:
                self._desk.comment(self._run(number))
            case Fuss.BREAK:
                broken.add("slack")
            case Fuss.MEND:
                broken.clear()
            case Fuss.CANCEL:
                self._desk.cancel(self._run(number))

    @rule(number=st.integers(0, 2), content=CONTENTS, end=ENDS)
    def edit(self, number: int, content: str, end: int) -> None:
        self._desk.edit(self._run(number), content)
        self._drive(number, end)

    @rule(number=st.integers(0, 2), rules=POLICIES, end=ENDS)
    def migrate(self, number: int, rules: Rules, end: int) -> None:
        self._desk.migrate(self._run(number), self._desk.setting._replace(rules=rules))
        self._drive(number, end)

    @rule(number=st.integers(0, 2), rules=POLICIES, is_assessment=st.booleans())
    def migrate_in_the_middle(
        self,
        number: int,
        rules: Rules,
        is_assessment: bool,  # noqa: FBT001 - hypothesis names it
    ) -> None:
        desk, run = self._desk, self._run(number)
        under_way = desk.interruptions
        waiting = under_way.assessment if is_assessment else under_way.notice
        waiting.append(lambda: desk.migrate(run, desk.setting._replace(rules=rules)))

    @precondition(lambda self: self.desk is not None and len(self.desk.runs) < MOST_RUNS)
    @rule(number=st.integers(0, 2), rules=st.one_of(st.none(), POLICIES), end=ENDS)
    def fork(self, number: int, rules: Rules | None, end: int) -> None:
        desk = self._desk
        made = desk.fork(
            self._run(number), None if rules is None else desk.setting._replace(rules=rules)
        )
        if made is not None:
            self._drive(desk.runs.index(made), end)

    @override
    def teardown(self) -> None:
        """Let every run go as far as it can without another accident."""
        if self.desk is not None:
            for number in range(len(self.desk.runs)):
                self._drive(number, NEVER)
            assert not list(self.desk.bad_folds())
        for kernel in self._kernels:
            kernel.close()

    @property
    def _desk(self) -> Desk:
        assert self.desk is not None
        return self.desk

    def _run(self, number: int) -> RunId:
        return self._desk.runs[number % len(self._desk.runs)]

    def _drive(self, number: int, end: int) -> None:
        if end != REST:
            self._desk.drive(self._run(number), calls=end)
        broken = broken_rules(self._desk)
        assert not broken, "\n".join(broken)


class RealOrders(Orders):
    """The same on the real ledger."""

    def __init__(self) -> None:
        super().__init__()
        self._place = TemporaryDirectory()

    @override
    def open_kernel(self, build: Build) -> Kernel:
        """Begin with an empty file."""
        self._kernels.append(Kernel(Path(self._place.name), build))
        return self._kernels[-1]

    @override
    def teardown(self) -> None:
        """Let go of the file."""
        super().teardown()
        self._place.cleanup()
