"""Agents as `.claude/agents/*.md` describe them: front matter, and a body that is their prompt."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import yaml
from msgspec import Struct

from supervisor_ai.control.ports.definitions import RoleDraft
from supervisor_ai.definitions.schema import scalars
from supervisor_ai.definitions.schema.tool_names import OURS, TOOLS
from supervisor_ai.definitions.sources.mistakes import FileMistakes, shown
from supervisor_ai.definitions.sources.yaml_document import Value, read_yaml
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.answers import AnswerKind, AnswerWord
from supervisor_ai.domain.run.definition import EDITING_TOOLS, Role

_MAX_CHARACTERS: Final = 100_000
_MAX_PROMPT: Final = 20_000
_FENCE: Final = "---"
_LINE: Final = re.compile(r"([A-Za-z][A-Za-z-]{0,40}):[ \t]*(.*)")
_OWN_NAME: Final = "supervisor-role"
_OWN_ANSWER: Final = "supervisor-answer"
_KINDS: Final[Mapping[AnswerWord, tuple[str, str]]] = {
    AnswerKind.PLAN: ("planning.j2", "planner_docset"),
    AnswerKind.IMPLEMENTATION: ("implement.j2", "implementer_targeted"),
    AnswerKind.REVIEW: ("review_strict.j2", "reviewer_diff"),
}
"""What a role is given by the way in which it answers: its template and its strategy."""
_OF_MEMBERS: Final[Mapping[str, str]] = {
    "SendMessage": "team_msg",
    **dict.fromkeys(("TaskList", "TaskGet"), "task_list"),
    "TaskUpdate": "task_update",
    "TaskCreate": "task_create",
}
"""What teammates of Claude Code have, and members of a session as well."""
_REVIEWING: Final = re.compile(r"\b(review|audit|check|critic|inspect|valid)", re.IGNORECASE)


class _Agent(Struct, frozen=True, kw_only=True):
    head: Mapping[str, Value]
    body: str

    def text(self, key: str) -> str:
        """Return a line of the front matter."""
        value = self.head.get(key)
        return "" if value is None or isinstance(value, (list, dict)) else str(value).strip()

    @property
    def tools(self) -> list[str] | None:
        """Return the tools that it may use; None: all."""
        value = self.head.get("tools")
        if value is None:
            return None
        items = value if isinstance(value, list) else str(value).split(",")
        return [str(item).strip() for item in items if str(item).strip()]


def read_agent(text: str, name: str) -> RoleDraft:
    """Make a role file of an agent; it stands for itself and extends nothing."""
    agent = _parse(text)
    called = agent.text(_OWN_NAME) or agent.text("name") or name
    try:
        scalars.name(called)
    except ValueError as error:
        raise InvalidInput(f"The agent's name {error}.") from error
    tools, notes = _our_tools(agent.tools)
    answer = _answer(agent, tools)
    template, strategy = _KINDS[answer]
    model = agent.text("model")
    said: dict[str, Value] = {
        "description": agent.text("description") or f"The agent {called}",
        "answer": answer,
        "writes": answer == AnswerKind.IMPLEMENTATION,
        "cli": f"claude:{model}" if model not in {"", "inherit"} else "claude",
        "template": template,
        "system_prompt": agent.body,
        "context": {"strategy": strategy},
    }
    if tools is not None:
        said["allowed_tools"] = list(tools)
    return RoleDraft(name=called, text=_yaml(said), notes=tuple(notes))


def write_agent(role: Role) -> RoleDraft:
    """Write a role as an agent; its parents' words are written out."""
    cli, _, model = role.cli.partition(":")
    head: dict[str, Value] = {
        "name": role.name.replace("_", "-").lower(),
        "description": role.description,
    }
    allowed = role.allowed_tools
    if allowed is None and not role.writes:
        # Who changes nothing here must not be able to elsewhere.
        allowed = ("read_file",)
    if allowed is not None:
        own = (theirs for ours in allowed for theirs in TOOLS.get(ours, ()))
        head["tools"] = ", ".join(dict.fromkeys(own))
    if cli == "claude" and model:
        head["model"] = model
    head |= {_OWN_NAME: role.name, _OWN_ANSWER: role.answer}
    parts = (role.system_prompt.strip("\n"), role.instructions.strip("\n"))
    body = "\n\n".join(part for part in parts if part)
    text = f"{_FENCE}\n{_yaml(head)}{_FENCE}\n\n{body}\n"
    return RoleDraft(name=role.name, text=text, notes=tuple(_lost(role, cli)))


def _lost(role: Role, cli: str) -> Iterable[str]:
    if cli != "claude":
        yield f"The role works with {role.cli}; the agent will work with the model of its session."
    unknown = [tool for tool in role.allowed_tools or () if tool not in TOOLS]
    if unknown:
        yield f"There is no tool for {', '.join(unknown)}."
    for what, value in (
        ("egress", role.egress),
        ("hidden files", role.hides),
        ("MCP servers", role.mcp_servers),
    ):
        if value:
            yield f"The role's {what} cannot be written down there."


def _parse(text: str) -> _Agent:
    if len(text) > _MAX_CHARACTERS:
        raise InvalidInput(f"The agent has more than {_MAX_CHARACTERS} characters.")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE or _FENCE not in [line.rstrip() for line in lines[1:]]:
        raise InvalidInput(
            "The agent has no front matter.",
            hint="It begins with a line ---, its name and description, and another line ---.",
        )
    end = [line.rstrip() for line in lines].index(_FENCE, 1)
    body = "\n".join(lines[end + 1 :]).strip("\n")
    if len(body) > _MAX_PROMPT:
        found = f"The agent's prompt has {len(body)} characters"
        raise InvalidInput(f"{found}; at most {_MAX_PROMPT} are allowed.")
    return _Agent(head=_head("\n".join(lines[1:end])), body=body)


def _head(text: str) -> Mapping[str, Value]:
    """Read the front matter; where it is no YAML, as colons in a sentence make it, line by line."""
    mistakes = FileMistakes()
    document = read_yaml("front matter", text, mistakes)
    if document is not None and not mistakes and isinstance(document.value, dict):
        return document.value
    found = (_LINE.fullmatch(line.rstrip()) for line in text.split("\n"))
    return {match[1]: match[2].strip("\"'") for match in found if match is not None}


def _our_tools(theirs: list[str] | None) -> tuple[tuple[str, ...] | None, list[str]]:
    if theirs is None:
        return None, []
    ours = [OURS[_plain(tool)] for tool in theirs if _plain(tool) in OURS]
    left = [tool for tool in theirs if _plain(tool) not in OURS]
    notes = [
        f"{_plain(tool)} is what `{_OF_MEMBERS[_plain(tool)]}` does for members of a session: "
        "a worker has it in a run with --session."
        if _plain(tool) in _OF_MEMBERS
        else f"There is nothing like the tool {shown(tool)!r}; it is left out."
        for tool in left
    ]
    return tuple(dict.fromkeys(ours)), notes


def _plain(tool: str) -> str:
    """Leave out what narrows a tool: `Bash(git:*)` is Bash."""
    return tool.partition("(")[0].strip()


def _answer(agent: _Agent, tools: tuple[str, ...] | None) -> AnswerWord:
    said = agent.text(_OWN_ANSWER)
    if said in _KINDS:
        return AnswerWord(said)
    if tools is not None and EDITING_TOOLS.isdisjoint(tools):
        words = f"{agent.text('name').replace('-', ' ')} {agent.text('description')}"
        return AnswerKind.REVIEW if _REVIEWING.search(words) else AnswerKind.PLAN
    return AnswerKind.IMPLEMENTATION


class _Writer(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _write_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Writer.add_representer(str, _write_text)


def _yaml(said: Mapping[str, Value]) -> str:
    return yaml.dump(dict(said), Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100)
