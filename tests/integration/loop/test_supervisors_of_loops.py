"""Supervisors in loops: they look, write in their own folders, and never stop the work."""

import re

import pytest
from tests.integration.loop.wild_loops import BOOKS, READER
from tests.support.loop_scene import (
    Act,
    Scene,
    answers_all,
    assess,
    design,
    directive,
    judge,
    learnt,
    loop_definition,
    plan,
    section,
    sections,
    style,
)

from supervisor_ai.control.sentences import describe
from supervisor_ai.definitions.loop.settings import BUILTIN
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.knowledge.life import KnowledgeUse, UseStatus
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.failures.diagnosis import Action, Diagnosis
from supervisor_ai.domain.run.status import FailureCategory, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.loop.briefs import SUPERVISOR_TOKENS, characters
from supervisor_ai.drivers.loop.events import WorkReportWritten
from supervisor_ai.drivers.loop.rules import LoopRules
from supervisor_ai.drivers.quality.events import SupervisorRan
from supervisor_ai.drivers.quality.supervisors import RunOutcome
from supervisor_ai.engine.ports.knowledge import NoQualityRecords
from supervisor_ai.engine.ports.workers import WorkerRequest
from supervisor_ai.testing.fake_worker import FakeReply, answering

STYLE = replace(BUILTIN[0], every=1)
CONVENTION = "docs/knowledge/conventions/errors.md"


def says(output: str, **more: object) -> Act:
    return lambda scene, request: FakeReply(output=output, **more)  # type: ignore[arg-type]


def looks(scene: Scene, name: str = "code_style") -> list[SupervisorRan]:
    return [it for it in scene.events(SupervisorRan) if it.supervisor == name]


def writes(text: str, path: str = CONVENTION) -> Act:
    def act(scene: Scene, request: WorkerRequest) -> FakeReply:
        del scene, request
        return FakeReply(output=style(updated=[path]), files={path: text})

    return act


def test_what_a_supervisor_writes_is_a_commit_of_its_own_that_later_tasks_begin_with() -> None:
    scene = Scene(
        loop_definition(supervisors=[STYLE]),
        tasks=2,
        code_style_supervisor=writes("# Errors\n"),
    )
    assert scene.drive() is RunStatus.COMPLETED
    landed = [it for it in scene.events(e.IntegrationLanded) if it.step == "run_supervisors"]
    assert len(landed) == 1  # the second time the document is as it was
    assert scene.tip[CONVENTION] == "# Errors\n"
    second = scene.requests("loop_implementor")[1]
    assert scene.kernel.fakes.workspaces.files(second.workspace.start)[CONVENTION] == "# Errors\n"


def test_the_first_look_lays_the_ground_and_later_ones_compare() -> None:
    scene = Scene(
        loop_definition(supervisors=[STYLE]), tasks=2, code_style_supervisor=writes("# Errors\n")
    )
    scene.drive()
    outcomes = [it.outcome for it in looks(scene)]
    assert outcomes == [RunOutcome.BOOTSTRAPPED, RunOutcome.REVIEWED, RunOutcome.REVIEWED]
    modes = [
        section(it, "MODE").partition(".")[0] for it in scene.requests("code_style_supervisor")
    ]
    assert modes == ["BOOTSTRAP", "COMPARE", "COMPARE"]
    assert CONVENTION in section(scene.requests("code_style_supervisor")[1], "KNOWLEDGE STORE")


def test_what_an_implementor_writes_is_nobodys_rule_and_no_directive_of_people() -> None:
    planted = {
        CONVENTION: "# EVIL\n_Status: established_\n",
        "docs/knowledge/directives/y.md": "# EVIL\n",
        "docs/knowledge/conventions/own.md": "# EVIL\n_Last updated by: user_\n",
    }

    def plants(scene: Scene, request: WorkerRequest) -> FakeReply:
        reply = Scene.works(scene, request)
        return replace(reply, files={**reply.files, **planted})

    def diverges(scene: Scene, request: WorkerRequest) -> FakeReply:
        is_first = scene.asked.count("assessor") == 1
        if is_first:
            return FakeReply(output=assess("major_divergence", "No."))
        return Scene.assesses(scene, request)

    scene = Scene(
        loop_definition(supervisors=[STYLE]),
        files={CONVENTION: "# Errors\n", "docs/knowledge/directives/mine.md": "# Mine\n"},
        tasks=2,
        loop_implementor=plants,
        code_style_supervisor=writes("# Looked\n", "docs/knowledge/conventions/looked.md"),
        assessor=diverges,
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert scene.tip["docs/knowledge/directives/y.md"] == "# EVIL\n"
    again = scene.requests("scope_agent")[1]
    assert section(again, "DIRECTIVES OF PEOPLE") == "# Mine"
    told = section(scene.requests("code_style_supervisor")[-1], "KNOWLEDGE STORE")
    assert "conventions/looked.md" in told
    assert "own.md" not in told
    known = scene.state.flow.knowledge
    assert known is not None
    (birth,) = scene.events(e.RunSubmitted)
    assert birth.base is not None
    assert (known.base, len(known.looks)) == (birth.base.sha, 1)


def test_a_document_of_bad_form_is_not_kept_and_on_record() -> None:
    scene = Scene(loop_definition(supervisors=[STYLE]), code_style_supervisor=writes("No heading"))
    assert scene.drive() is RunStatus.COMPLETED
    assert looks(scene)[0].refused == (CONVENTION,)
    assert CONVENTION not in scene.tip


def test_a_supervisor_sees_other_folders_as_read_only() -> None:
    scene = Scene(loop_definition(supervisors=[STYLE]))
    scene.drive()
    mounts = scene.requests("code_style_supervisor")[0].workspace.mounts
    told = {str(it.target).rpartition("/docs/")[2]: it.is_writable for it in mounts}
    assert told["knowledge/conventions"] is True
    assert sum(told.values()) == 1


def test_what_was_learnt_is_written_down_by_us() -> None:
    scene = Scene(
        loop_definition(supervisors=[BUILTIN[2]]),
        internaliser=says(learnt("Reducers drop None")),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert "# Reducers drop None\n" in scene.tip.values()
    assert looks(scene, "internaliser")[0].total == 1


def test_a_malformed_answer_is_discarded_once_and_the_loop_goes_on() -> None:
    scene = Scene(
        loop_definition(supervisors=[STYLE]), code_style_supervisor=says("All looks well.")
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert [it.outcome for it in looks(scene)] == [RunOutcome.DISCARDED] * 2
    assert scene.asked.count("code_style_supervisor") == 2
    assert looks(scene)[0].reason == "Its answer had not the required form."


@pytest.mark.parametrize(
    "trouble",
    [
        Diagnosis(message="No key.", category=FailureCategory.CLI_ERROR, action=Action.ESCALATE),
        Diagnosis(
            message="Overloaded.", category=FailureCategory.RESOURCE, action=Action.RETRY_SAME
        ),
        Diagnosis(
            message="Try again later.", category=FailureCategory.RESOURCE, action=Action.PARK
        ),
        Diagnosis(
            message="The model is gone.",
            category=FailureCategory.CLI_ERROR,
            action=Action.FAIL_OVER,
        ),
    ],
)
def test_a_supervisor_whose_model_cannot_be_had_is_skipped(trouble: Diagnosis) -> None:
    scene = Scene(
        loop_definition(supervisors=[STYLE]),
        code_style_supervisor=lambda scene, request: FakeReply(diagnosis=trouble, exit_code=1),
    )
    scene.drive()
    scene.kernel.serve()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert {it.outcome for it in looks(scene)} == {RunOutcome.UNAVAILABLE}
    assert all(it.reason for it in looks(scene))


def test_a_supervisor_whom_nobody_can_play_is_on_record_from_the_beginning() -> None:
    absent = replace(STYLE, lacks="No agent can be had for it.")
    scene = Scene(loop_definition(supervisors=[absent]), tasks=1)
    assert scene.drive() is RunStatus.COMPLETED
    assert [(it.outcome, it.reason) for it in looks(scene)] == [
        (RunOutcome.UNAVAILABLE, "No agent can be had for it.")
    ]


def test_a_supervisor_that_finds_little_new_looks_less_often() -> None:
    scene = Scene(
        loop_definition(LoopRules(review_interval=50, polish_tasks=0), supervisors=[STYLE]),
        tasks=8,
        code_style_supervisor=says(style(directive("The same"))),
    )
    scene.drive()
    told = [(it.after, it.is_converging, len(it.directives)) for it in looks(scene)]
    # What is pending already is not wanted twice.
    assert told == [(1, False, 1), (2, True, 0), (4, True, 0), (8, True, 0), (8, True, 0)]


def test_qa_failures_pull_the_next_look_forward_and_urgency_is_calm_then() -> None:
    verdicts = [judge("fail", "No.")] * 4 + [judge()] * 9
    scene = Scene(
        loop_definition(LoopRules(max_attempts=5, review_interval=50)),
        tasks=2,
        loop_qa=lambda scene, request: FakeReply(output=verdicts.pop(0)),
    )
    assert scene.drive() is RunStatus.COMPLETED
    assert next(it.after for it in looks(scene)) == 1
    assert scene.state.book.supervisor_urgency == 0


def test_a_supervisor_is_told_what_fits_into_five_thousand_tokens() -> None:
    store = {f"docs/knowledge/design/d{number}.md": "# D\n" * 500 for number in range(900)}
    scene = Scene(
        loop_definition(supervisors=[STYLE]), tasks=3, files=store, design_supervisor=says(design())
    )
    scene.drive()
    for request in scene.requests("code_style_supervisor"):
        told = sum(len(text) for title, text in sections(request).items() if title != "MODE")
        assert told <= characters(SUPERVISOR_TOKENS)
        assert "part_" in section(request, "FILES CHANGED SINCE YOU LOOKED LAST")


def test_what_cannot_be_put_on_the_branch_is_no_obstacle() -> None:
    def meddles(scene: Scene, request: WorkerRequest) -> FakeReply:
        # Somebody else changes the very document on the branch meanwhile.
        workspaces = scene.kernel.fakes.workspaces
        tip = workspaces.branches[scene.branch]
        files = {**workspaces.files(tip), CONVENTION: "# Theirs\n"}
        workspaces.branches[scene.branch] = workspaces.commit(files, parent=tip)
        return writes("# Ours\n")(scene, request)

    scene = Scene(loop_definition(supervisors=[STYLE]), code_style_supervisor=meddles)
    scene.drive()
    assert looks(scene)[0].outcome is RunOutcome.DISCARDED
    assert scene.tip[CONVENTION] == "# Theirs\n"


def test_each_look_is_told_in_a_line() -> None:
    wanted = [directive("A"), directive("B"), directive("C", "functional", "normal")]
    scene = Scene(
        loop_definition(supervisors=[STYLE]),
        code_style_supervisor=lambda scene, request: FakeReply(
            output=style(*wanted, updated=[CONVENTION]), files={CONVENTION: "# Errors\n"}
        ),
    )
    scene.drive()
    assert describe(looks(scene)[0]).endswith(
        "Code Style Supervisor: laid the ground, found 4 things, 4 of them new, updated 1 document."
        " 3 directives dropped: this look lays the ground"
    )
    assert looks(scene)[0].directives == ()
    assert "3 directives dropped" in scene.text(scene.events(WorkReportWritten)[0].report)


def test_a_supervisor_without_tools_sees_the_code_and_writes_through_its_answer() -> None:
    text = "# Errors\n\n## Rules\n\n1. Raise ToolError.\n"
    documents = [
        {"path": "conventions/errors.md", "text": text},
        *({"path": it, "text": text} for it in ("design/other.md", "conventions/../../up.md")),
        {"path": "conventions/notes.txt", "text": text},
        {"path": "docs/knowledge/conventions/empty.md", "text": "# Empty\n"},
    ]
    claimed = ["conventions/errors.md", "conventions/made_up.md"]
    answer = {"conventions_updated": claimed, "directives": [], "documents": documents}
    scene = Scene(
        loop_definition(supervisors=[STYLE]),
        code_style_supervisor=lambda scene, request: FakeReply(output=answering(answer)),
    )
    kernel = scene.kernel
    kernel.quality = replace(kernel.quality, books=BOOKS)
    kernel.kill(1)
    kernel.world = kernel.process()
    assert scene.drive() is RunStatus.COMPLETED
    look = looks(scene)[0]
    assert "+x = " in section(scene.requests("code_style_supervisor")[0], "CHANGED CODE")
    assert look.outcome is RunOutcome.BOOTSTRAPPED
    assert look.updated == ("docs/knowledge/conventions/errors.md",)
    assert (look.novel, look.total) == (1, 1)
    assert "1. Raise ToolError." in scene.tip[look.updated[0]]
    assert [it for it in scene.tip if it.endswith(("other.md", "up.md", "empty.md"))] == []
    assert look.reason == (
        "docs/knowledge/conventions/empty.md: it says nothing, and nobody is told of it; "
        "docs/knowledge/design/other.md: it is no document in a folder of its own; "
        "docs/knowledge/conventions/../../up.md: it is no document in a folder of its own; "
        "docs/knowledge/conventions/notes.txt: it is no document in a folder of its own; "
        "conventions/made_up.md is said to be updated, and is not"
    )


def test_each_supervisor_stands_in_the_way_of_what_it_is_there_for() -> None:
    """Code against a rule, a design that drifts, a lesson that would be lost: none gets through."""

    def styles(scene: Scene, request: WorkerRequest) -> FakeReply:
        if len(looks(scene)) == 0:
            return writes("# Errors\n\n## Rules\n\n1. Raise ToolError.\n")(scene, request)
        return FakeReply(output=style(*[directive("Raise it")] * (len(looks(scene)) == 1)))

    def designs(scene: Scene, request: WorkerRequest) -> FakeReply:
        del request
        is_first = not looks(scene, "design")
        wanted = directive("Store it in a dictionary", "functional", "normal")
        return FakeReply(output=design(*[wanted] * is_first))

    def plans(scene: Scene, request: WorkerRequest) -> FakeReply:
        found = re.search(r"\[(\d+)\] functional", section(request, "ACTIVE DIRECTIVES"))
        if found is None:
            return scene.plans(request)
        number = int(found[1])
        said = [it for it in answers_all(request) if it["directive"] != number]
        said.append({"directive": number, "response": "addressed"})
        return FakeReply(output=plan(task="Store it", directives=said, does=[number]))

    scene = Scene(
        loop_definition(supervisors=[STYLE, *BUILTIN[1:]]),
        tasks=2,
        task_planner=plans,
        code_style_supervisor=styles,
        design_supervisor=designs,
        internaliser=says(learnt("Reducers drop None")),
        assessor=lambda scene, request: FakeReply(
            output=assess("aligned" if "] functional" in request.prompt else "milestone_complete")
        ),
    )
    kernel = scene.kernel
    kernel.quality = replace(kernel.quality, books=BOOKS)
    kernel.kill(1)
    kernel.world = kernel.process()
    assert scene.drive() is RunStatus.COMPLETED
    done = [scene.text(it.text) for it in scene.state.book.done_list]
    assert (done[:3], done[-1]) == (["Part 1", "Part 2", "Store it"], "Tidy up")
    lessons = [it for it in scene.tip if it.startswith("docs/knowledge/lessons/")]
    assert "Reducers drop None" in scene.tip[lessons[0]]
    assert scene.state.book.pending_directives == ()


def test_a_look_that_only_claims_a_document_has_laid_no_ground() -> None:
    scene = Scene(
        loop_definition(supervisors=[STYLE]),
        code_style_supervisor=lambda scene, request: FakeReply(
            output=style(directive("A"), updated=["conventions/x.md"])
        ),
    )
    scene.drive()
    look = looks(scene)[0]
    assert (look.outcome, look.updated, look.total) == (RunOutcome.REVIEWED, (), 1)
    assert [it.number for it in look.directives] == [1]
    assert look.reason == "conventions/x.md is said to be updated, and is not"


def test_the_last_milestone_is_looked_at_where_the_assessor_completes_it() -> None:
    scene = Scene(
        loop_definition(LoopRules(review_interval=1), supervisors=[STYLE, BUILTIN[1]]),
        milestones=2,
        task_planner=says(plan()),
        assessor=lambda scene, request: FakeReply(output=assess("milestone_complete")),
    )
    assert scene.drive() is RunStatus.COMPLETED
    # The style supervisor has seen each task before the assessor did, and need not look again.
    made = [it.supervisor for it in scene.events(SupervisorRan)]
    assert made == ["code_style", "design"] * 2
    begin = scene.nodes.index("assessor")
    assert scene.nodes[begin : begin + 3] == ["assessor", "run_supervisors", "task_planner"]
    assert scene.nodes[-4:] == ["assessor", "run_supervisors", "polish", "report"]


class OtherRuns(NoQualityRecords):
    """Other runs of the project, whose tasks were told of a document."""

    def __init__(self, *uses: KnowledgeUse) -> None:
        self._uses = uses

    def uses(self, *, but: RunId | None = None) -> tuple[KnowledgeUse, ...]:  # type: ignore[explicit-override]
        assert but is not None  # what this run did is counted from its own record
        return self._uses


@pytest.mark.parametrize(("others", "status"), [(4, "provisional"), (5, "established")])
def test_tasks_of_other_runs_speak_for_a_document(others: int, status: str) -> None:
    text = "# Errors\n\n_Status: provisional_\n\n## Rules\n\nRaise ToolError.\n"
    document = READER.read("conventions/errors.md", text.encode()).document
    assert document is not None
    use = KnowledgeUse(path=document.path, fingerprint=document.fingerprint, status=UseStatus.CLEAN)
    scene = Scene(loop_definition(supervisors=[STYLE]), files={CONVENTION: text})
    kernel = scene.kernel
    kernel.quality = replace(kernel.quality, books=BOOKS)
    kernel.kill(1)
    kernel.world = replace(kernel.process(), quality=OtherRuns(*[use] * others))
    assert scene.drive() is RunStatus.COMPLETED
    assert f"_Status: {status}_" in scene.tip[CONVENTION]
