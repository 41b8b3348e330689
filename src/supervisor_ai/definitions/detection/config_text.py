"""A project's first config file, with the reasons beside the settings."""

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from supervisor_ai.control.ports.project_survey import Detected, DetectedGate, ProjectSurvey
from supervisor_ai.definitions.detection.facts import TOP
from supervisor_ai.definitions.detection.table import InstallerRule, builtin_table
from supervisor_ai.definitions.sources.files import PROJECT_DIRECTORY
from supervisor_ai.definitions.sources.mistakes import shown

_LONGEST: Final = 200
_MOST_OTHERS: Final = 3
_HEAD: Final = (
    "# yaml-language-server: $schema=config.schema.json",
    "# Supervisor's settings for this project. They count from the commit that holds this file.",
    "# For editors: put config.schema.json of supervisor's docs/reference/schemas beside this.",
)
_WORKFLOW: Final = (
    "# How a task gets from plan to commit. The others: supervisor workflow list",
    "workflow: standard",
)
_NO_GATE: Final = (
    "# No test command was found. A gate is a command that must succeed before work is accepted;",
    "# without one of yours, the gate of `standard` runs `make test`.",
    "# gates:",
    "#   test:",
    '#     command: ["make", "test"]',
)
_SETUP: Final = (
    "# Sandboxes have no network. If the gates need installed packages, this installs them once",
    "# per change of the lock file, with only these hosts within reach:",
)
IGNORED_TEXT: Final = """\
# Written by supervisor: state stays out of git, definitions belong into it.
/state.db*
/artifacts/
/locks/
/logs/
"""


def config_text(survey: ProjectSurvey, packs: Sequence[str]) -> str:
    """Write the config; what is not certain stands in it as a comment."""
    blocks = (
        _HEAD,
        tuple(_agent(survey)),
        _WORKFLOW,
        tuple(_packs(survey, packs)),
        tuple(_gates(survey.gates)),
        tuple(_workspace(survey.installers)),
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _agent(survey: ProjectSurvey) -> Iterator[str]:
    if not survey.agents:
        yield "# The agent that works in every role. None was on the PATH when this was written."
        yield "# cli: claude"
        return
    first, *others = survey.agents
    yield "# The agent that works in every role; a role can have its own under `roles:`."
    yield f"cli: {first}"
    if others:
        yield "# Who goes on where it cannot:"
        yield f"# fallback: {_flow(others)}"


def _packs(survey: ProjectSurvey, packs: Sequence[str]) -> Iterator[str]:
    yield "# Roles for this kind of project. What a pack brings: supervisor role list"
    for advice in survey.packs:
        if advice.name in packs:
            yield _comment("", f"{advice.name}: {', '.join(advice.roles)} ({advice.reason})")
    yield f"packs: {_flow(packs)}"


def _gates(gates: tuple[DetectedGate, ...]) -> Iterator[str]:
    if not gates:
        yield from _NO_GATE
        return
    yield "# Commands that must succeed. The workflow `standard` uses `test` and, before a commit,"
    yield "# `lint` and `type_check` where they are here."
    yield "gates:"
    for gate in gates:
        yield f"  {gate.name}:"
        yield _comment("    ", f"found in {', '.join(it.text for it in gate.evidence)}")
        yield f"    command: {_flow(gate.command)}"
        for other in gate.others[:_MOST_OTHERS]:
            yield _comment("    ", f"also: {_flow(other.command)}, by {other.evidence.text}")


def _workspace(installers: tuple[Detected, ...]) -> Iterator[str]:
    rules = builtin_table().installers
    installer = next((it for it in installers if rules[it.name].setup), None)
    if installer is not None:
        yield from _SETUP
        yield "# workspace:"
        place = PurePosixPath(installer.evidence[0].file).parent
        yield from (_comment("", f"  {line}") for line in _setup(rules[installer.name], place))


def _setup(rule: InstallerRule, place: PurePosixPath) -> Iterator[str]:
    moved = () if place == PurePosixPath(TOP) else ("env", "-C", str(place))
    yield f"setup: {_flow((*moved, *rule.setup))}"
    yield f"egress: {_flow(rule.egress)}"
    if rule.cache is not None:
        key = [str(place / name) for name in rule.cache.key]
        paths = [str(place / name) for name in rule.cache.paths]
        yield f"cache: {{key: {_flow(key)}, paths: {_flow(paths)}}}"


def _flow(words: Sequence[str]) -> str:
    """Write a list of words; JSON strings are YAML strings, whatever they contain."""
    return f"[{', '.join(json.dumps(word) for word in words)}]"


def _comment(indent: str, text: str) -> str:
    """Write one line that cannot end early, whatever a file is called."""
    line = shown(text)
    return f"{indent}# {line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}"


def drafts(survey: ProjectSurvey, packs: Sequence[str]) -> dict[str, str]:
    """Return the first files of a project by their path from its top."""
    return {
        f"{PROJECT_DIRECTORY}/config.yaml": config_text(survey, packs),
        f"{PROJECT_DIRECTORY}/.gitignore": IGNORED_TEXT,
    }
