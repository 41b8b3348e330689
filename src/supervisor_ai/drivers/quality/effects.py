"""What supervisors that are attached to other drivers ask the engine to do."""

from msgspec.structs import asdict

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.effects import OperationEffect, RunWorker
from supervisor_ai.drivers.quality.events import StandingRecord, StockStarted, StockTaken
from supervisor_ai.drivers.quality.supervisors import SupervisorSpec


class TakeStock(OperationEffect, frozen=True, kw_only=True):
    """Look up how the project stands with its supervisors."""

    commit: CommitSha
    """What the run has put on its branch."""
    specs: tuple[SupervisorSpec, ...]
    setbacks: int
    """How often work was sent back on the way."""

    def intent(self) -> StockStarted:  # type: ignore[explicit-override]
        """State what is about to be done."""
        return StockStarted(step=self.step, visit=self.visit, slot=self.slot, commit=self.commit)


class RunAttachedSupervisor(RunWorker, frozen=True, kw_only=True):
    """Let a quality supervisor look at what runs of the project have done."""

    spec: SupervisorSpec
    record: StandingRecord
    stock: StockTaken


def for_attached(effect: RunWorker, spec: SupervisorSpec, stock: StockTaken) -> RunWorker:
    """Let a worker look at the project as one of its supervisors."""
    found = (it for it in stock.records if it.supervisor == spec.name)
    record = next(found, StandingRecord(supervisor=spec.name))
    return RunAttachedSupervisor(**asdict(effect), spec=spec, record=record, stock=stock)
