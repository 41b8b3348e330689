"""Pipelines: what is wrong with one is told at once; without supervision nothing waits for it."""

from supervisor_ai.domain.session.pipeline import Pipeline, PipelineTask, pipeline_flaws


def task(name: str, *blocked_by: str, owner: str = "") -> PipelineTask:
    owner = owner or ("supervisor" if name.startswith("CHECKPOINT-") else "writer")
    return PipelineTask(task=name, subject="do", owner=owner, blocked_by=blocked_by)


def pipeline(*tasks: PipelineTask) -> Pipeline:
    return Pipeline(name="own", description="", tasks=tasks)


def flaws(*tasks: PipelineTask) -> dict[str, str]:
    found = pipeline_flaws(pipeline(*tasks))
    return {".".join(map(str, path)): problem for path, problem in found}


def test_a_fine_pipeline_has_no_flaws() -> None:
    assert flaws(task("B", "A"), task("A"), task("CHECKPOINT-001", "A", "B")) == {}


def test_all_flaws_are_told_with_their_places() -> None:
    found = flaws(
        task("DRAFT-1", "DRAFT-2", "DRAFT-9", "unheard", "DRAFT-2"),
        task("DRAFT-2", "DRAFT-1"),
        task("DRAFT-2"),
        task("CHECKPOINT-001", owner="writer"),
        task("E", "F", owner="supervisor"),
        task("F", "E", owner="all"),
    )
    assert found == {
        "tasks.2.id": "'DRAFT-2' is there twice, first as tasks[1]",
        "tasks.0.blocked_by.1": "there is no task 'DRAFT-9'; did you mean 'DRAFT-2'?",
        "tasks.0.blocked_by.2": "there is no task 'unheard'",
        "tasks.0.blocked_by.3": "'DRAFT-2' is there twice",
        "tasks.3.id": "a checkpoint has to wait for the tasks that it looks at",
        "tasks.3.owner": "the supervisor does checkpoints, and nothing else",
        "tasks.4.owner": "the supervisor does checkpoints, and nothing else",
        "tasks.5.owner": "'all' is nobody's name",
        "tasks.0.blocked_by": "waits for itself: DRAFT-1 → DRAFT-2 → DRAFT-1",
        "tasks.4.blocked_by": "waits for itself: E → F → E",
    }


def test_a_circle_is_told_from_its_first_task_on() -> None:
    found = flaws(task("B", "C"), task("A", "B"), task("C", "A"))
    assert found == {"tasks.0.blocked_by": "waits for itself: B → C → A → B"}


def test_a_task_that_waits_for_itself_is_a_circle() -> None:
    assert list(flaws(task("A", "A")).values()) == ["waits for itself: A → A"]


def test_tasks_begin_after_those_that_they_wait_for() -> None:
    found = pipeline(task("C", "B"), task("A"), task("B", "A")).begun(supervision=True)
    assert [it.task for it in found] == ["A", "B", "C"]


def test_without_supervision_who_waited_for_a_checkpoint_waits_for_its_tasks() -> None:
    whole = pipeline(
        task("A"),
        task("CHECKPOINT-001", "A"),
        task("CHECKPOINT-002", "CHECKPOINT-001", "A"),
        task("B", "CHECKPOINT-002", "A"),
    )
    found = whole.begun(supervision=False)
    assert [(it.task, it.blocked_by) for it in found] == [("A", ()), ("B", ("A",))]
    assert [it.task for it in whole.checkpoints] == ["CHECKPOINT-001", "CHECKPOINT-002"]
