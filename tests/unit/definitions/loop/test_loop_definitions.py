"""What a loop pins: its nodes, its gates, who plays which role, and which supervisors look."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, ProjectFiles

from supervisor_ai.context.prompts.prompter import JinjaPrompter
from supervisor_ai.control.slice_names import import_place, registered_slices
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.definitions.worker_answers.parser import read_answer
from supervisor_ai.domain.errors import SupervisorError
from supervisor_ai.domain.run.answers import AnswerWord
from supervisor_ai.domain.run.values import FeedbackKind
from supervisor_ai.drivers.loop.commands.wishes import WantedLoop
from supervisor_ai.drivers.loop.definition import LoopDefinition, expect_loop
from supervisor_ai.engine.ports.workers import Answer, PromptRequest, Told
from supervisor_ai.engine.ports.workspaces import Repository
from supervisor_ai.testing.fake_worker import NONCE, answering

ADAPTERS: Final = frozenset({"claude", "command"})
TESTED: Final = "gates:\n  test:\n    command: [make, test]\nloop:\n  gates: [test]\n"
ROLES: Final = {
    *("scope_agent", "task_planner", "loop_implementor", "loop_qa", "assessor"),
    *("code_style_supervisor", "design_supervisor", "internaliser"),
}


def load(
    user: Path, config: str = "", files: Mapping[str, str] | None = None, **wanted: object
) -> LoopDefinition:
    texts = {CONFIG: f"cli: claude\n{config}"}
    texts |= {f".supervisor/{name}": text for name, text in (files or {}).items()}
    catalog = FileCatalog(cast("Repository", ProjectFiles(texts)), user, ADAPTERS)
    wish = WantedLoop(**wanted)  # type: ignore[arg-type]
    return expect_loop(catalog.resolve_for("loop", COMMIT, wish).definition)


def problem(user: Path, config: str, files: Mapping[str, str] | None = None) -> str:
    with pytest.raises(SupervisorError) as caught:
        load(user, config, files)
    return str(caught.value.message)


def test_a_loop_has_its_nodes_and_the_gates_between_them(tmp_path: Path) -> None:
    pinned = load(tmp_path, TESTED)
    assert list(pinned.workflow.steps) == [
        *("scope_agent", "task_planner", "implementor", "implementor-guard", "test", "qa"),
        *("mark_complete", "mark_failed", "run_supervisors", "assessor", "polish", "report"),
    ]
    assert set(pinned.roles) == ROLES
    # The attempts at a task end it, not how often one gate failed, and no person is asked.
    gates = [it for it in pinned.workflow.steps.values() if it.checks]
    assert {(it.max_retries, it.asks_at_last) for it in gates} == {(3, False)}


def test_the_defaults_are_those_of_the_seed(tmp_path: Path) -> None:
    rules = load(tmp_path).rules
    assert (rules.max_attempts, rules.review_interval, rules.polish_tasks) == (3, 5, 10)
    assert (rules.backlog.age, rules.backlog.cap) == (15, 10)
    looks = [(it.name, it.every, [at.value for at in it.moments]) for it in rules.supervisors]
    assert looks == [
        ("code_style", 5, ["milestone"]),
        ("design", None, ["milestone", "rescope", "abort"]),
        ("internaliser", 3, ["milestone"]),
    ]
    assert [it.owns for it in rules.supervisors] == [
        *(("conventions",), ("design",), ("lessons", "domain")),
    ]


def test_the_config_and_the_person_say_otherwise(tmp_path: Path) -> None:
    config = "loop: {max_tasks: 7, max_attempts: 2, cleanup_cap: 4}\n"
    rules = load(tmp_path, config).rules
    assert (rules.max_tasks, rules.max_attempts, rules.backlog.cap) == (7, 2, 4)
    assert load(tmp_path, config, max_tasks=3).rules.max_tasks == 3


@pytest.mark.parametrize("config", ["quality: false\n", "quality: {enabled: false}\n"])
def test_supervisors_are_switched_off_together(tmp_path: Path, config: str) -> None:
    pinned = load(tmp_path, config)
    assert pinned.rules.supervisors == ()
    assert "internaliser" not in pinned.roles


def test_supervisors_are_switched_off_one_by_one_and_for_once(tmp_path: Path) -> None:
    config = "quality: {supervisors: {design: {enabled: false}, code_style: {every: 2}}}\n"
    rules = load(tmp_path, config).rules
    assert [(it.name, it.every) for it in rules.supervisors] == [
        *(("code_style", 2), ("internaliser", 3)),
    ]
    assert load(tmp_path, is_alone=True).rules.supervisors == ()


OWN: Final = """\
quality:
  supervisors:
    api_docs: {every: 4, moments: [milestone], owns: [api]}
"""
OWN_ROLE: Final = """\
extends: code_style_supervisor
description: API documents
"""


def test_a_supervisor_of_ones_own_has_the_same_contract(tmp_path: Path) -> None:
    pinned = load(tmp_path, OWN, {"roles/api_docs.yaml": OWN_ROLE})
    own = pinned.rules.supervisors[-1]
    assert (own.name, own.title, own.role, own.owns) == (
        *("api_docs", "Api Docs Supervisor", "api_docs", ("api",)),
    )
    crew = pinned.workflow.steps["run_supervisors"].crew  # type: ignore[index]
    assert crew[-1] == "api_docs"


@pytest.mark.parametrize(
    ("config", "files", "told"),
    [
        (OWN, {}, "has the role 'api_docs', which nobody has defined"),
        (
            OWN.replace("{every", "{role: planner, every"),
            {},
            "answers with 'plan', but a supervisor answers with",
        ),
        (OWN, {"roles/api_docs.yaml": OWN_ROLE + "writes: false\n"}, "may not write"),
        (
            OWN.replace("[api]", "[design]"),
            {"roles/api_docs.yaml": OWN_ROLE},
            "owns 'design', which is 'design''s already",
        ),
        (
            "quality: {supervisors: {api_docs: {owns: [api]}}}\n",
            {"roles/api_docs.yaml": OWN_ROLE},
            "never looks: say `every: N`",
        ),
        ("quality: {supervisors: {a: {owns: [../x]}}}\n", {}, "must be a folder of the knowledge"),
        ("quality: 7\n", {}, "must be true, false or a mapping"),
        ("loop: {gates: [nope]}\n", {}, "nope"),
        ("loop: {max_tasks: 0}\n", {}, "max_tasks"),
        (
            "",
            {"roles/assessor.yaml": "extends: reviewer\n"},
            "gives the answer 'review' to a role whose answer is 'assessment'",
        ),
    ],
)
def test_a_mistake_is_told(
    tmp_path: Path, config: str, files: Mapping[str, str], told: str
) -> None:
    assert told in problem(tmp_path, config, files)


def prompt_of(pinned: LoopDefinition, role: str, *sections: str) -> str:
    request = PromptRequest(
        role=pinned.roles[role],
        task="Build it",
        step="step",  # type: ignore[arg-type]
        attempt=1,
        context=tuple(Told(kind=None, source=it, text=f"text of {it}") for it in sections),
        feedback=(Told(kind=FeedbackKind.FORMAT, source="step", text="No block."),),
        diff=None,
        knowledge="## PROJECT KNOWLEDGE\n\nRules.\n",
        nonce="nonce-1",
    )
    return JinjaPrompter().write(request)


def test_the_sections_of_a_prompt_are_in_the_order_of_the_seed(tmp_path: Path) -> None:
    shown = ("PROJECT CONTEXT", "CURRENT MILESTONE", "ACTIVE DIRECTIVES", "COMPLETED WORK")
    prompt = prompt_of(load(tmp_path), "task_planner", *shown)
    titles = [line[3:] for line in prompt.splitlines() if line.startswith("## ")]
    wanted = [*shown[:1], "PROJECT KNOWLEDGE", *shown[1:], "INSTRUCTIONS"]
    assert [it for it in titles if it in wanted] == wanted
    assert "Each directive MUST be addressed" in " ".join(prompt.split())
    assert "No block." in prompt


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_prompt_says_how_to_answer(tmp_path: Path, role: str) -> None:
    prompt = prompt_of(load(tmp_path), role, "PROJECT CONTEXT", "TASK")
    assert "The nonce of this attempt is `nonce-1`." in prompt
    assert "```schema" in prompt


ANSWERS: Final[dict[str, dict[str, object]]] = {
    "scope": {"remit": "It", "milestones": [{"outcome": "It works"}]},
    "next_task": {"status": "implement", "task": "Do it"},
    "work": {
        "status": "SUCCESS",
        "files_created": [],
        "files_modified": [],
        "tests_written": [],
    },
    "qa": {"status": "pass", "feedback": "It is so."},
    "assessment": {"status": "aligned"},
    "style_findings": {"conventions_updated": [], "directives": []},
    "design_findings": {"design_updates": [], "directives": []},
    "knowledge_items": {"knowledge_items": []},
}


@pytest.mark.parametrize("kind", sorted(ANSWERS))
def test_an_answer_is_strict_in_its_form(kind: str) -> None:
    good = answering(ANSWERS[kind]).replace(NONCE, "n")
    assert isinstance(read_answer(AnswerWord(kind), good, nonce="n"), Answer)
    bad = answering({**ANSWERS[kind], "more": 1}).replace(NONCE, "n")
    assert not isinstance(read_answer(AnswerWord(kind), bad, nonce="n"), Answer)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("scope", {"remit": "x" * 1001}),
        ("scope", {"milestones": [{"outcome": "x" * 201}]}),
        ("scope", {"milestones": []}),
        ("qa", {"feedback": "x" * 501}),
        ("next_task", {"status": "rest"}),
        ("style_findings", {"directives": [{"type": "odd", "description": "It"}]}),
    ],
)
def test_an_answer_keeps_to_its_limits(kind: str, more: Mapping[str, object]) -> None:
    output = answering({**ANSWERS[kind], **more}).replace(NONCE, "n")
    assert not isinstance(read_answer(AnswerWord(kind), output, nonce="n"), Answer)


def test_everything_that_the_slice_registers_is_there() -> None:
    own = registered_slices()["loop"]
    places = [*own.ports.values(), *own.further_sections, own.section, own.resolver]
    assert own.roles is not None
    assert own.verb is not None
    places += [place for it in own.roles.answers.values() for place in (it.form, it.meanings)]
    places += [it.phrases for it in own.steps]
    places.append(own.verb.place)
    assert all(import_place(place) is not None for place in places if place)
