"""A project's first config file, with the reasons beside the settings."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.control.commands.gates.gate_trials import GateTrial, GateTrials
from supervisor_ai.control.ports.project_survey import DetectedGate, ProjectSurvey, WorkspaceWay
from supervisor_ai.definitions.roles.files import read_level
from supervisor_ai.definitions.sources.files import PROJECT_DIRECTORY, package_source
from supervisor_ai.definitions.sources.mistakes import FileMistakes, shown
from supervisor_ai.tools.text import counted

_LONGEST: Final = 200
_MOST_OTHERS: Final = 3
_HEAD: Final = (
    "# Supervisor's settings for this project. They count from the commit that holds this file.",
)
_WORKFLOW: Final = (
    "# How a task gets from plan to commit. The others: supervisor workflow list",
    "workflow: standard",
)
_GATES: Final = (
    "# Commands that must succeed. The workflow `standard` uses `test` and, before a commit,",
    "# `lint` and `type_check` where they are here.",
)
_NO_GATE: Final = (
    "# No test command is known to work. A gate is a command that must succeed before work is",
    "# accepted; without one of yours, the gate of `standard` runs `make test`.",
)
_EXAMPLE: Final = ("# gates:", "#   test:", '#     command: ["make", "test"]')
_SETUP: Final = (
    "# Sandboxes have no network. This makes what the gates need, once per change of the files of",
    "# the cache's key, with only these hosts within reach:",
)
IGNORED_TEXT: Final = """\
# Written by supervisor: state stays out of git, definitions belong into it.
/state.db*
/artifacts/
/locks/
/logs/
/sessions/
"""
_PRETTIER: Final = "prettier"
_UNPOLISHED_TEXT: Final = """\
# Written by supervisor: prettier leaves the files of this directory as they are.
requirePragma: true
"""


def config_text(
    survey: ProjectSurvey, packs: Sequence[str], trials: GateTrials | None = None
) -> str:
    """Write the config; what is not certain, or did not work, stands in it as a comment."""
    way = trials.way if trials else survey.ways[0]
    blocks = (
        _HEAD,
        tuple(_agent(survey)),
        _WORKFLOW,
        tuple(_packs(survey, packs)),
        tuple(_gates(way.gates, trials)),
        tuple(_caches(way)),
        tuple(_workspace(way if trials else survey.ways[-1], is_certain=trials is not None)),
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _agent(survey: ProjectSurvey) -> Iterator[str]:
    if not survey.agents:
        yield "# The agent of roles that name none. None was on the PATH when this was written."
        yield "# cli: claude"
        return
    first, *others = survey.agents
    yield "# The agent of roles that name none; give a role its own with `roles: {NAME: {cli: …}}`."
    for cli, roles in sorted(_own_agents().items()):
        stand_in = "" if cli in survey.agents else f" is not on the PATH, so {first}"
        yield _comment("", f"{', '.join(sorted(roles))}: {cli}{stand_in}")
    yield f"cli: {first}"
    if others:
        yield "# Who goes on where it cannot:"
        yield f"# fallback: {_flow(others)}"


def _own_agents() -> Mapping[str, Sequence[str]]:
    """List the roles of the package that name an agent, by its name."""
    found = defaultdict[str, list[str]](list)
    for role in read_level(package_source(), FileMistakes()).files.values():
        if role.written.shape.cli is not None:
            found[role.written.shape.cli].append(role.name)
    return found


def _packs(survey: ProjectSurvey, packs: Sequence[str]) -> Iterator[str]:
    yield "# Roles for this kind of project. What a pack brings: supervisor role list"
    for advice in survey.packs:
        if advice.name in packs:
            yield _comment("", f"{advice.name}: {', '.join(advice.roles)} ({advice.reason})")
    yield f"packs: {_flow(packs)}"


def _gates(gates: tuple[DetectedGate, ...], trials: GateTrials | None) -> Iterator[str]:
    failed = trials.failed if trials else ()
    if not any(gate.name == "test" for gate in gates):
        yield from _NO_GATE
    if gates:
        yield from (*_GATES, "gates:")
    elif not failed:
        yield from _EXAMPLE
    for gate in gates:
        yield from _gate(gate, trials)
    for trial in failed:
        yield from _failed(trial)


def _gate(gate: DetectedGate, trials: GateTrials | None) -> Iterator[str]:
    yield f"  {gate.name}:"
    yield _comment("    ", f"found in {', '.join(it.text for it in gate.evidence)}")
    trial = trials.passed(gate.name) if trials else None
    if trials and trial:
        tests = counted(trial.tests, "test") if trial.tests is not None else "it passed"
        yield _comment("    ", f"tried on {trials.commit[:12]}: {tests}")
    yield f"    command: {_flow(gate.command)}"
    if gate.environment:
        yield f"    env: {_map(gate.environment)}"
    for other in gate.others[:_MOST_OTHERS] if trials is None else ():
        yield _comment("    ", f"also: {_flow(other.command)}, by {other.evidence.text}")


def _failed(trial: GateTrial) -> Iterator[str]:
    why = f"{trial.likely.cause}; {trial.likely.remedy}" if trial.likely else trial.reason
    yield _comment("  ", f"{trial.gate} did not work when this was written: {why}")
    yield _comment("  ", f"{trial.gate}:")
    yield _comment("  ", f"  command: {_flow(trial.command)}")
    if trial.environment:
        yield _comment("  ", f"  env: {_map(trial.environment)}")


def _caches(way: WorkspaceWay) -> Iterator[str]:
    if way.caches:
        yield "# Packages that this machine has downloaded before, shown read-only:"
        yield f"sandbox: {{caches: {_flow(way.caches)}}}"


def _workspace(way: WorkspaceWay, *, is_certain: bool) -> Iterator[str]:
    if not way.setup:
        return
    yield from _SETUP
    for line in ("workspace:", *(f"  {line}" for line in _setup(way))):
        yield line if is_certain else f"# {line}"


def _setup(way: WorkspaceWay) -> Iterator[str]:
    yield f"setup: {_flow(way.setup)}"
    if way.egress:
        yield f"egress: {_flow(way.egress)}"
    if way.cache_paths:
        yield f"cache: {{key: {_flow(way.cache_key)}, paths: {_flow(way.cache_paths)}}}"


def _flow(words: Sequence[str]) -> str:
    """Write a list of words; JSON strings are YAML strings, whatever they contain."""
    return f"[{', '.join(json.dumps(word) for word in words)}]"


def _map(pairs: Mapping[str, str]) -> str:
    written = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in pairs.items())
    return f"{{{', '.join(written)}}}"


def _comment(indent: str, text: str) -> str:
    """Write one line that cannot end early, whatever a file is called."""
    line = shown(text)
    return f"{indent}# {line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}"


def drafts(
    survey: ProjectSurvey, packs: Sequence[str], trials: GateTrials | None = None
) -> dict[str, str]:
    """Return the first files of a project by their path from its top."""
    include = trials.way.include if trials else ()
    patterns = "".join(f"{pattern}\n" for pattern in include)
    return {
        f"{PROJECT_DIRECTORY}/config.yaml": config_text(survey, packs, trials),
        f"{PROJECT_DIRECTORY}/.gitignore": IGNORED_TEXT,
        **(
            {f"{PROJECT_DIRECTORY}/.prettierrc.yaml": _UNPOLISHED_TEXT}
            if _is_polished(survey)
            else {}
        ),
        **({".worktreeinclude": patterns} if patterns else {}),
    }


def _is_polished(survey: ProjectSurvey) -> bool:
    """Tell whether a formatter of the project would find fault with files that it did not write."""
    others = (other.evidence for gate in survey.gates for other in gate.others)
    own = (evidence for gate in survey.gates for evidence in gate.evidence)
    return any(evidence.key.rpartition(".")[2] == _PRETTIER for evidence in (*own, *others))
