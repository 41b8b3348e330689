"""What runs share, folded again from the beginning."""

from supervisor_ai.domain.ids import PROJECT_STREAM, RunId
from supervisor_ai.domain.project.events import PermitTaken
from supervisor_ai.engine.streams.project_view import ProjectView, fold_project
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.ledger_harness import StillClock, batch
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger


def test_what_is_kept_is_what_the_events_lead_to() -> None:
    ledger = MemoryLedger(StillClock(), is_alive=lambda _: True)
    documents = ArtifactDocuments(MemoryArtifacts())
    taken = [PermitTaken(permit="p", run=RunId(f"r{number}")) for number in range(3)]
    ledger.append(batch(PROJECT_STREAM, 0, *taken[:2]))
    view = ProjectView(ledger, ledger, documents)
    view.refresh()
    view.keep(every=1)
    kept = ledger.load(PROJECT_STREAM, fold=fold_project(ledger, documents, upto=0).fold)
    ledger.append(batch(PROJECT_STREAM, 2, taken[2]))
    assert kept == fold_project(ledger, documents, upto=2)
    assert kept != fold_project(ledger, documents, upto=3)
