"""Agents in markdown become roles, and roles such agents."""

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.roles.scene import Scene

from supervisor_ai.definitions.roles.markdown_agents import read_agent
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord

REVIEWER = """\
---
name: code-reviewer
description: Expert code review. Use proactively: after every change
tools: Read, Grep, Glob, Bash(git diff:*), mcp__jira__search
model: sonnet
---

You are a senior code reviewer.

When invoked:
1. Look at the change.
"""


def imported(scene: Scene, text: str, name: str = "it") -> str:
    draft = scene.catalog.draft_role(text, name=name)
    scene.write({f"roles/{draft.name}.yaml": draft.text})
    return draft.name


def test_an_agent_becomes_a_role_that_stands_for_itself(scene: Scene) -> None:
    draft = read_agent(REVIEWER, "file")
    assert draft.name == "code-reviewer"
    assert draft.notes == ("There is nothing like the tool 'mcp__jira__search'; it is left out.",)
    assert draft.text == snapshot("""\
description: 'Expert code review. Use proactively: after every change'
answer: review
writes: false
cli: claude:sonnet
template: review_strict.j2
system_prompt: |-
  You are a senior code reviewer.

  When invoked:
  1. Look at the change.
context:
  strategy: reviewer_diff
allowed_tools:
- read_file
- run_command
""")
    assert imported(scene, REVIEWER) == "code-reviewer"
    role = scene.role("code-reviewer")
    assert (role.answer, role.writes, role.cli) == (AnswerKind.REVIEW, False, "claude:sonnet")
    assert role.allowed_tools == ("read_file", "run_command")
    assert role.context is not None


@pytest.mark.parametrize(
    ("head", "answer"),
    [
        ("name: a\ndescription: writes code", AnswerKind.IMPLEMENTATION),
        ("name: a\ntools: [Read, Write]", AnswerKind.IMPLEMENTATION),
        ("name: a\ntools: Read\ndescription: explores", AnswerKind.PLAN),
        ("name: security-audit\ntools: Read", AnswerKind.REVIEW),
        ("name: a\ntools: Read\nsupervisor-answer: review", AnswerKind.REVIEW),
    ],
)
def test_how_a_role_answers(scene: Scene, head: str, answer: AnswerWord) -> None:
    name = imported(scene, f"---\n{head}\n---\nDo it.\n")
    role = scene.role(name)
    assert (role.answer, role.writes) == (answer, answer == AnswerKind.IMPLEMENTATION)


def test_a_file_without_a_name_is_called_like_its_file(scene: Scene) -> None:
    assert (
        imported(scene, "---\ndescription: d\nmodel: inherit\n---\nBody", "own-name") == "own-name"
    )
    assert scene.role("own-name").cli == "claude"


def test_the_tools_of_teammates_are_those_of_members() -> None:
    tools = "Read, SendMessage, TaskUpdate, Telepathy"
    draft = read_agent(f"---\nname: a\ntools: {tools}\n---\nDo it.\n", "a")
    assert [it.split(";")[0].split(":")[0] for it in draft.notes] == [
        "SendMessage is what `team_msg` does for members of a session",
        "TaskUpdate is what `task_update` does for members of a session",
        "There is nothing like the tool 'Telepathy'",
    ]


def test_from_markdown_and_back(scene: Scene) -> None:
    text = (
        "---\nname: go-expert\ndescription: 'Go: everything'\ntools: Read, Glob, Grep, Edit\n"
        "model: opus\nsupervisor-role: go-expert\nsupervisor-answer: implementation\n---\n\n"
        "One.\n\n  - Two: `three` \n"
    )
    name = imported(scene, text)
    written = scene.catalog.agent_text(COMMIT, name)
    assert written.text == text
    assert written.notes == ()


@pytest.mark.parametrize("name", ["test_engineer", "security_auditor", "implementer_fast"])
def test_from_a_role_and_back(scene: Scene, name: str) -> None:
    before = scene.role(name)
    exported = scene.catalog.agent_text(COMMIT, name)
    draft = scene.catalog.draft_role(exported.text, name="other")
    assert draft.name == name
    scene.write({"roles/copy.yaml": draft.text})
    after = scene.role("copy")
    assert (after.answer, after.writes) == (before.answer, before.writes)
    # Who changes nothing here is only allowed to read elsewhere.
    tools = before.allowed_tools if before.writes else ("read_file",)
    assert (after.description, after.allowed_tools) == (before.description, tools)
    parts = [before.system_prompt.strip("\n"), before.instructions.strip("\n")]
    assert after.system_prompt == "\n\n".join(part for part in parts if part)


def test_what_markdown_cannot_say_is_told(scene: Scene) -> None:
    scene.write(
        {
            "roles/wide.yaml": """\
extends: reviewer
cli: gemini
egress: ["pypi.org:443"]
hides: [secret/]
allowed_tools: [read_file, web_search, own_tool]
mcp_servers: {notes: {command: [notes]}}
"""
        }
    )
    written = scene.catalog.agent_text(COMMIT, "wide")
    assert "tools: Read, Glob, Grep, WebSearch\n" in written.text
    assert written.notes == (
        "The role works with gemini; the agent will work with the model of its session.",
        "There is no tool for own_tool.",
        "The role's egress cannot be written down there.",
        "The role's hidden files cannot be written down there.",
        "The role's MCP servers cannot be written down there.",
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("No front matter", "no front matter"),
        ("---\nname: a\n", "no front matter"),
        ("---\nname: ../../etc/passwd\n---\nx", "no usable name"),
        ("---\nname: a\n---\n" + "x" * 20_001, "20001 characters"),
        ("x" * 100_001, "more than 100000 characters"),
    ],
)
def test_what_is_no_agent(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_agent(text, "it")


def test_hostile_text_stays_text(scene: Scene) -> None:
    body = "a: b\ncli: evil\n---\n!!python/object:os.system\n\u202e{{ x }}"
    name = imported(scene, f"---\nname: a\ndescription: '!!x'\n---\n{body}")
    assert scene.role(name).system_prompt == body
    assert scene.role(name).cli == "claude"
