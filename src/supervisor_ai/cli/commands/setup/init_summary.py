"""What `supervisor init` says: what it found, what does not work, and what to do next."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import can_ask
from supervisor_ai.control.commands.project_init import suggested
from supervisor_ai.control.phrases import one_line

if TYPE_CHECKING:
    from supervisor_ai.control.commands.gates.gate_trials import GateTrial, GateTrials
    from supervisor_ai.control.ports.project_survey import Detected, ProjectSurvey

_MOST_LINES: Final = 8


def shown_survey(survey: "ProjectSurvey") -> Iterator[str]:
    """Show what was recognised, each with its place."""
    found = (*survey.languages[:3], *survey.frameworks, *survey.services)
    yield f"Detected: {' + '.join(it.name for it in found) or 'nothing that is known here'}"
    for label, group in (("installers", survey.installers), ("services", survey.services)):
        if group:
            yield f"  {label}: {', '.join(map(_with_evidence, group))}"
    for gate in survey.gates:
        evidence = ", ".join(it.text for it in gate.evidence)
        yield "  " + one_line(f"gate {gate.name}: {shlex.join(gate.command)} ({evidence})")
    if survey.unread:
        yield f"  not read: {one_line(', '.join(survey.unread[:5]))}"
    yield from (f"  note: {one_line(caution)}" for caution in survey.cautions)
    yield from ("", "Suggested role packs:" if suggested(survey) else "Role packs (--pack NAME):")
    for advice in sorted(survey.packs, key=lambda it: not it.is_suggested):
        roles = f"({', '.join(advice.roles)}) - pack {advice.name}: {advice.reason}"
        told = roles if advice.is_suggested else f"(disabled - {advice.reason}) - {advice.name}"
        yield "  " + one_line(f"[{'x' if advice.is_suggested else ' '}] {advice.title} {told}")


def _with_evidence(it: "Detected") -> str:
    return one_line(f"{it.name} ({it.evidence[0].text})")


def shown_failures(trials: "GateTrials") -> Iterator[str]:
    """Show why a gate does not work, and what to do; such a gate is not written."""
    for trial in trials.failed:
        yield one_line(f"{trial.gate} does not work yet, so it is not written: {trial.reason}")
        yield "  " + one_line(f"tried: {shlex.join(trial.command)}")
        yield from (f"  │ {one_line(line)}" for line in trial.lines[-_MOST_LINES:])
        yield from _likely(trial)
        yield ""


def _likely(trial: "GateTrial") -> Iterator[str]:
    if trial.likely is not None:
        yield "  " + one_line(f"likely cause: {trial.likely.cause}")
        yield "  " + one_line(f"what to do: {trial.likely.remedy}")


class NextSteps(Struct, frozen=True, kw_only=True):
    """What decides what comes next."""

    survey: "ProjectSurvey"
    trials: "GateTrials | None"
    untried: str | None
    """Why the gates were not tried."""
    add: str | None = None
    """How git takes in files that it ignores."""
    guide: str | None = None
    """A file for agents from which the knowledge store can begin."""


def shown_next(invocation: Invocation, known: NextSteps, *, is_committed: bool) -> Iterator[str]:
    """Say what comes next; a task only where an agent and a gate are there for it."""
    survey, trials, untried = known.survey, known.trials, known.untried
    if untried is not None and trials is None and survey.gates:
        yield one_line(f"The gates were not tried ({untried}).")
    include = " .worktreeinclude" if trials and trials.way.include else ""
    add = known.add or f"add .supervisor{include}"
    yield from ("", "Next:")
    if not is_committed:
        yield f"  {invocation.git} {add} && {invocation.git} commit -m 'Add supervisor'"
    if not can_ask():  # On a terminal the run asks by itself.
        yield f"  {invocation.command} trust"
    has_test = trials is not None and any(gate.name == "test" for gate in trials.way.gates)
    if not has_test:
        yield f"  {invocation.command} gate check test    # once the config has a test gate"
    if known.guide is not None:
        seed = f"{invocation.command} knowledge add --from {known.guide}"
        yield f"  {seed}    # if every worker is to know its rules"
    if survey.agents:
        yield f'  {invocation.command} run "Describe a task"'
    else:
        yield "  install an agent (claude, codex or gemini), or name yours: `cli:` in the config"
        yield f"  {invocation.command} doctor"
