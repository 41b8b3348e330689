"""What the loop driver can ask the engine to do besides what any driver can."""

from msgspec.structs import asdict

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.effects import OperationEffect, RunWorker
from supervisor_ai.drivers.loop.book import LoopBook, SupervisorRun
from supervisor_ai.drivers.loop.events import WorkReportStarted
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec


class RunLoopWorker(RunWorker, frozen=True, kw_only=True):
    """Start a role of the loop, which is told what the loop's book says."""

    book: LoopBook
    kept: CommitSha
    """What the run's branch has: what was done for the task is counted from here."""


class RunLoopSupervisor(RunWorker, frozen=True, kw_only=True):
    """Let a quality supervisor look at what the loop has done."""

    book: LoopBook
    spec: SupervisorSpec
    last: SupervisorRun | None
    """When it looked last, and brought something; None: it never did."""


class WriteWorkReport(OperationEffect, frozen=True, kw_only=True):
    """Write the report of the whole work."""

    book: LoopBook

    def intent(self) -> WorkReportStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return WorkReportStarted(step=self.step, visit=self.visit, slot=self.slot)


def for_loop(effect: RunWorker, book: LoopBook, kept: CommitSha) -> RunLoopWorker:
    """Let a worker be told what the loop's book says."""
    return RunLoopWorker(**asdict(effect), book=book, kept=kept)


def for_supervisor(
    effect: RunWorker, book: LoopBook, spec: SupervisorSpec, last: SupervisorRun | None
) -> RunLoopSupervisor:
    """Let a worker look at the loop as one of its supervisors."""
    return RunLoopSupervisor(**asdict(effect), book=book, spec=spec, last=last)
