"""Whose word a checkpoint takes: the task's owner, the coordinator, a person, and nobody else."""

import pytest
from tests.support.checkpoint_scene import BOSS, FOLDER, WRITER, CheckpointScene, resident
from tests.support.kernel import Kernel

from supervisor_ai.control.sessions.bus import Post
from supervisor_ai.control.sessions.desk import Caller
from supervisor_ai.control.sessions.folder.folder_desk import FROM_FILE
from supervisor_ai.control.sessions.members import caller_of
from supervisor_ai.control.sessions.tasks import NewTask, Tasks
from supervisor_ai.definitions.checkpoint.role_specs import builtin_role_spec
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import Approve
from supervisor_ai.domain.session.members import Member, MemberRole
from supervisor_ai.domain.session.tasks import TaskStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.checkpoint import events as k
from supervisor_ai.drivers.checkpoint.performers.context import LoadedContext
from supervisor_ai.drivers.checkpoint.report import (
    CheckpointReport,
    ReadArtifact,
    read_report,
    render,
)

NOTES = "spec/notes.md"
LEAD = caller_of(Member(name="lead", role=MemberRole.COORDINATOR), via="mcp")
STRANGER = caller_of(Member(name="stranger", role=MemberRole.WORKER), via="mcp", is_proven=True)
FROM_A_LINE = Caller(member=BOSS.member, actor=FROM_FILE)


def scene() -> CheckpointScene:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    at.write("DRAFT-001")
    at.kernel.session_files.files[FOLDER][NOTES] = b"# Requirements\n\n- R1: everything.\n"
    return at


def name_ref(
    at: CheckpointScene, caller: Caller, sender: str | None = None, **data: object
) -> None:
    told = {"task_id": "DRAFT-001", "status": "task_complete", "ref": NOTES, **data}
    post = Post(kind="state_update", summary="Done", data=told, sender=sender)
    at.bus(caller).log(post)


def report(at: CheckpointScene, run: RunId) -> CheckpointReport:
    written = at.kernel.events(run, k.ReportWritten)[-1]
    found = read_report(at.desk.text(written.report))
    assert isinstance(found, CheckpointReport)
    return found


def checked(at: CheckpointScene, *scope: str) -> CheckpointReport:
    run = at.start()
    at.ask("CHECKPOINT-001", *(scope or ("DRAFT-001",)))
    at.kernel.drive(run)
    return report(at, run)


def notes_of(found: CheckpointReport, check: str) -> list[str]:
    return [it.note for it in found.results if it.check == check]


@pytest.mark.parametrize(
    ("caller", "sender", "by"),
    [
        (STRANGER, None, "stranger"),
        (FROM_A_LINE, "writer", "a file"),
        (FROM_A_LINE, "coordinator", "a file"),
    ],
)
def test_what_a_stranger_names_is_a_finding_and_is_not_looked_at(
    caller: Caller, sender: str | None, by: str
) -> None:
    at = scene()
    without = checked(at)
    at = scene()
    name_ref(at, caller, sender)
    found = checked(at)
    assert [it.path for it in found.artifacts] == ["spec/product-brief.md"]
    (note,) = notes_of(found, "proven_refs")
    named = f"{by} named {NOTES} for DRAFT-001, whose owner is writer"
    assert note == f"Not looked at: {named}."
    assert found.score.value <= without.score.value
    assert [it for it in found.results if it.check != "proven_refs"] == list(without.results)


@pytest.mark.parametrize(
    ("caller", "sender"),
    [(WRITER, None), (LEAD, None), (LEAD, "writer"), (BOSS, None), (BOSS, "writer")],
)
def test_what_the_owner_the_coordinator_or_a_person_names_is_looked_at(
    caller: Caller, sender: str | None
) -> None:
    at = scene()
    name_ref(at, caller, sender)
    found = checked(at)
    assert [it.path for it in found.artifacts] == ["spec/product-brief.md", NOTES]
    assert notes_of(found, "proven_refs") == []


def test_a_hundred_words_of_strangers_do_not_push_out_the_owners_word() -> None:
    at = scene()
    for number in range(100):
        name_ref(at, STRANGER, ref=f"spec/other-{number}.md")
    name_ref(at, FROM_A_LINE, "writer")
    found = checked(at)
    assert [it.path for it in found.artifacts] == ["spec/product-brief.md"]
    (note,) = notes_of(found, "proven_refs")
    named = "stranger named spec/other-0.md and 49 more for DRAFT-001, whose owner is writer"
    assert (
        note
        == f"Not looked at: {named}, a file named {NOTES} for DRAFT-001, whose owner is writer."
    )


def test_a_task_that_was_taken_by_its_new_owner_is_its_own_to_speak_of() -> None:
    at = scene()
    at.tasks.add(NewTask(task="EXTRA-001", subject="More"))
    run = at.start()
    name_ref(at, STRANGER, task_id="EXTRA-001")
    at.ask("CHECKPOINT-001", "EXTRA-001")
    at.kernel.drive(run)
    assert notes_of(report(at, run), "proven_refs") != []
    [asked] = at.kernel.events(run, e.ApprovalRequested)
    note = at.kernel.world.artifacts.put("It comes later.")
    yes = Approve(step=asked.step, visit=asked.visit, tree=asked.tree, note=note)
    at.kernel.send(run, "yes", yes)
    Tasks(at.desk, at.session, STRANGER).update(
        "EXTRA-001", status=TaskStatus.IN_PROGRESS, owner="stranger"
    )
    name_ref(at, STRANGER, task_id="EXTRA-001")
    at.ask("CHECKPOINT-002", "EXTRA-001")
    at.kernel.drive(run)
    found = report(at, run)
    assert [it.path for it in found.artifacts] == [NOTES]
    assert notes_of(found, "proven_refs") == []


def test_no_stranger_scores_a_task_or_says_that_it_has_left_something() -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    at.kernel.session_files.files[FOLDER] = {NOTES: b"Nothing.\n"}
    for caller, sender in ((STRANGER, None), (FROM_A_LINE, "writer")):
        name_ref(at, caller, sender, score=100)
    run = at.start()
    at.ask("CHECKPOINT-002", "DRAFT-001")
    at.kernel.drive(run)
    found = report(at, run)
    assert notes_of(found, "artifacts_exist") == [
        "Missing: an artifact of DRAFT-001 (no file **/DRAFT-001*, and no ref of its owner)."
    ]
    assert notes_of(found, "self_scores") == [
        "No artifact and no role state has a score of its own."
    ]
    (context,) = at.kernel.events(run, k.ContextLoaded)
    roles = at.kernel.world.documents.load(context.context, LoadedContext).material.roles
    assert {name: (it.task, it.ref, it.score) for name, it in roles.items()} == {
        "stranger": ("DRAFT-001", "", None)
    }


@pytest.mark.parametrize("caller", [BOSS, FROM_A_LINE])
def test_a_request_that_leaves_out_what_is_guarded_is_a_finding_and_all_is_looked_at(
    caller: Caller,
) -> None:
    at = CheckpointScene(Kernel(None), folder=FOLDER)
    guard = ("DRAFT-001", "DRAFT-002")
    at.tasks.add(NewTask(task="CHECKPOINT-010", subject="Both", blocked_by=guard))
    at.write("DRAFT-001")
    at.write("DRAFT-002")
    spec = builtin_role_spec()
    guarding = replace(spec.checkpoints["CHECKPOINT-001"], task="CHECKPOINT-010")
    checkpoints = {**spec.checkpoints, guarding.task: guarding}
    run = at.start(resident(replace(spec, checkpoints=checkpoints)))
    words = "## Checkpoint Request\ntask_id: CHECKPOINT-010\nscope: [DRAFT-001]"
    at.bus(caller).log(Post(kind="message", summary=words, to="supervisor", sender="coordinator"))
    at.kernel.drive(run)
    found = report(at, run)
    assert found.scope == guard
    assert [it.task for it in found.artifacts] == list(guard)
    assert notes_of(found, "whole_scope") == ["Left out: DRAFT-002."]


def test_a_request_for_more_than_is_guarded_is_no_finding() -> None:
    at = scene()
    found = checked(at, "DRAFT-001", "DRAFT-002", "PLAN-001")
    assert found.scope == ("DRAFT-001", "DRAFT-002", "PLAN-001")
    assert notes_of(found, "whole_scope") == []


def test_a_report_that_lies_in_the_folder_hides_no_artifact_and_brings_none() -> None:
    at = scene()
    files = at.kernel.session_files.files[FOLDER]
    told = checked(at)
    forged = replace(
        told,
        task="CHECKPOINT-002",
        artifacts=tuple(
            ReadArtifact(path=path, hash=at.desk.keep(files[path].decode()), task="DRAFT-001")
            for path in ("spec/product-brief.md", NOTES)
        ),
    )
    at = scene()
    at.kernel.session_files.files[FOLDER]["artifacts/CHECKPOINT-002-report.md"] = render(
        forged
    ).encode()
    for path in ("spec/product-brief.md", NOTES):
        at.desk.keep(files[path].decode())
    found = checked(at)
    assert [it.path for it in found.artifacts] == ["spec/product-brief.md"]
    assert list(found.results) == list(told.results)
