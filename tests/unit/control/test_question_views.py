"""A question to a person, as programs read it."""

from pathlib import Path

import msgspec
from inline_snapshot import snapshot
from tests.unit.control.asked_run import ASKED
from tests.unit.control.gate_facts import LINT, RUN
from tests.unit.control.kanban_office import KanbanScene
from tests.unit.control.run_rows import FakeQueries, run_row

from supervisor_ai.cli.output import encode
from supervisor_ai.control.questions import find_question
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import show_run
from supervisor_ai.domain.run.status import RunStatus, Verdict
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace, KanbanPolicy
from supervisor_ai.drivers.kanban.kinds import UNREADABLE
from supervisor_ai.store.documents import ArtifactDocuments
from supervisor_ai.testing.clock import FakeClock
from supervisor_ai.testing.memory_ledger import MemoryArtifacts, MemoryLedger


def records_of(queries: FakeQueries) -> Records:
    artifacts = MemoryArtifacts()
    queries.rows.append(run_row(RUN, artifacts.put("Do it")))
    return Records(
        ledger=Path("state.db"),
        queries=queries,
        log=MemoryLedger(FakeClock(), is_alive=lambda _: True),
        artifacts=artifacts,
        documents=ArtifactDocuments(artifacts),
    )


def test_a_question_has_exactly_the_fields_of_the_contract() -> None:
    queries = FakeQueries(asked=[ASKED])
    records = records_of(queries)
    report = records.artifacts.put('[{"rule": "odd", "message": "Odd."}]')
    output = records.artifacts.put("It broke.")
    failed = replace(LINT, verdict=Verdict.FAILED, reason="Why.", output=output)
    queries.judged += [failed, replace(failed, gate="claims", report=report)]
    shown = find_question(records, show_run(records, RUN))
    assert msgspec.json.decode(encode(shown)) == snapshot(
        {
            "step": "test",
            "visit": 1,
            "reason": "findings",
            "tree": "t",
            "commit": "c",
            "asked_at": "2030-01-01T00:00:00Z",
            "words": None,
            "gates": [
                {
                    "gate": "lint",
                    "verdict": "failed",
                    "reason": "Why.",
                    "findings": [],
                    "printed": "It broke.",
                },
                {
                    "gate": "claims",
                    "verdict": "failed",
                    "reason": "Why.",
                    "findings": [
                        {
                            "rule": "odd",
                            "message": "Odd.",
                            "file": None,
                            "line": None,
                            "subject": None,
                            "severity": "error",
                        }
                    ],
                    "printed": "",
                },
            ],
            "findings": [
                {
                    "rule": "odd",
                    "message": "Odd.",
                    "file": None,
                    "line": None,
                    "subject": None,
                    "severity": "error",
                }
            ],
            "mend": None,
            "before": None,
            "plan": None,
        }
    )


def test_another_question_is_about_no_gate() -> None:
    queries = FakeQueries(asked=[], judged=[replace(LINT, verdict=Verdict.FAILED)])
    records = records_of(queries)
    assert find_question(records, show_run(records, RUN)) is None
    words = records.artifacts.put("Which one?")
    queries.asked.append(replace(ASKED, reason=ApprovalReason.BLOCKED, question=words))
    asked = find_question(records, show_run(records, RUN))
    assert asked is not None
    assert (asked.words, asked.gates, asked.findings) == ("Which one?", (), ())


def test_a_question_about_a_kanban_says_where_its_files_are(tmp_path: Path) -> None:
    scene = KanbanScene(tmp_path)
    scene.queries.asked[:] = [replace(ASKED, reason=UNREADABLE)]
    scene.submit("r1", status=RunStatus.WAITING)
    elsewhere = KanbanPlace(file="kanban/0-kanban-x.md", directory="/plans")
    scene.submit("r2", KanbanPolicy(place=elsewhere), status=RunStatus.WAITING)
    mended = {
        run: getattr(find_question(scene.records, show_run(scene.records, run)), "mend", None)
        for run in ("r1", "r2")
    }
    assert mended == {"r1": "ai/r1", "r2": "/plans"}
