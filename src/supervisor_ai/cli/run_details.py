"""Rows about a run: status, waiting, usage, its question to a person, warnings and objections."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import painted, say
from supervisor_ai.cli.tables import local_time, title
from supervisor_ai.control.phrases import finding_line, one_line, short
from supervisor_ai.control.ports.queries import AttemptRow, GateRow
from supervisor_ai.control.queries.causes import find_cause, gate_line, latest
from supervisor_ai.control.questions import DoubtView, QuestionView, find_question
from supervisor_ai.control.records import Records
from supervisor_ai.control.registered_kinds import approval_phrases, change_gates
from supervisor_ai.control.run_views import RunView, due_words, is_attended
from supervisor_ai.domain.ids import RunId, StepName
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind, Meaning
from supervisor_ai.domain.run.definition import KNOWN_RED
from supervisor_ai.domain.run.status import RunStatus, StepStatus, Verdict
from supervisor_ai.domain.run.values import ApprovalReason
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.text import counted

_LENGTH: Final = 2_000
_SHOWN: Final = 50
_LINES: Final = 20
_PLAIN: Final = frozenset({ApprovalReason.HUMAN_GATE, ApprovalReason.BLOCKED})
"""Questions whose answers need no explanation: go on, or do not."""
_VERDICTS: Final = {
    None: "has not ended",
    Verdict.PASSED: "passed",
    Verdict.FAILED: "failed",
    Verdict.WARNED: "failed (it only warns)",
    Verdict.NOT_RUN: "could not run",
}
"""What a gate said, whatever follows from it."""

_OVERRULED: Final = frozenset({Verdict.FAILED, Verdict.NOT_RUN})
_DOUBTS: Final = (
    ("accepted", frozenset({Verdict.FAILED})),
    ("warned", frozenset({Verdict.WARNED, Verdict.NOT_RUN})),
)
"""A gate of a step that passed is red only where a person has accepted what it found."""

Rows = Iterator[tuple[str, str]]


def say_who_continues(
    invocation: Invocation, records: Records, run: RunId, command: str | None = None
) -> None:
    """Say how a run goes on that no process drives; nothing where one does."""
    owner = records.queries.owner(run)
    if owner is not None and owner.is_alive:
        return
    if records.is_served:
        say("A running `supervisor serve` goes on with the run.")
    elif records.is_resident_served(run):
        say("The process that serves the session goes on with the run.")
    else:
        typed = f"{invocation.command} {command or f'resume {run}'}"
        say(f"No process drives the run now. Go on with: {typed}")


def continuation(invocation: Invocation, records: Records, command: str) -> str:
    """Write the command that goes on with what no process drives, unless a `serve` does."""
    if records.is_served:
        return "nothing to type: a running `supervisor serve` goes on with it"
    return f"{invocation.command} {command}"


def question(invocation: Invocation, records: Records, run: RunView) -> Rows:
    """Show the question that a run waits with, if it does."""
    asked = find_question(records, run)
    if asked is None:
        return
    yield "waits", f"for a person at step {asked.step}, about tree {asked.tree}"
    yield from _words(invocation, run, asked)
    if run.base is not None and run.base.sha != asked.commit:
        yield "look", f"{invocation.command} diff {run.id}"
    phrases = approval_phrases(asked.reason)
    note = "" if phrases.explained is None else ' --note "…"'
    verb = "complete-task" if asked.reason == ApprovalReason.COMPLETION else "approve"
    yield "yes", f"{invocation.command} {verb} {run.id}{note}{_meant(asked, phrases.yes)}"
    yield "no", f'{invocation.command} reject {run.id} --reason "…"{_meant(asked, phrases.no)}'


def _words(invocation: Invocation, run: RunView, asked: QuestionView) -> Rows:
    """Show why a person is asked, where it is more than that the workflow says so."""
    if asked.plan is not None:
        yield "plan", _cut(asked, plain(asked.plan))
    if asked.reason == ApprovalReason.HUMAN_GATE:
        return
    if asked.reason not in _PLAIN:
        yield "why", approval_phrases(asked.reason).why
    for doubt in asked.gates:
        read_on = f"{invocation.command} logs {run.id} --gate {doubt.gate}"
        yield "found", "\n".join(_doubt(doubt, read_on))
    if asked.before is not None:
        yield "before", one_line(asked.before)
    if asked.words is not None:
        yield "asks", _cut(asked, plain(asked.words).strip())
    mend = approval_phrases(asked.reason).mend
    if mend is not None and asked.mend is not None:
        yield mend, _mending(invocation, run, asked.mend)


def _mending(invocation: Invocation, run: RunView, where: str) -> str:
    """Say where a person can change files before the answer."""
    if where == run.branch and run.commit is None and run.base is not None:
        # Nothing has landed yet, so there is no branch.
        make = f"{invocation.git} branch {one_line(where)} {short(run.base.sha)}"
        return f"{make}; change the files there, commit, leave the branch; then say yes"
    if where == run.branch:
        return f"the files on branch {one_line(where)}, commit, leave the branch; then say yes"
    return f"the files in {one_line(where)}; then say yes"


def _cut(asked: QuestionView, text: str) -> str:
    """Keep the beginning of somebody's words, and the end of what a command printed."""
    return text[-_LENGTH:] if asked.reason == ApprovalReason.FINDINGS else text[:_LENGTH]


def _doubt(doubt: DoubtView, read_on: str) -> Iterator[str]:
    """Name a gate, say why it did not pass, and show what it found or printed."""
    yield one_line(f"gate {doubt.gate} {_VERDICTS[doubt.verdict]}: {doubt.reason}")
    for finding in doubt.findings[:_SHOWN]:
        yield f"  {one_line(finding_line(finding))}"
    if len(doubt.findings) > _SHOWN:
        yield f"  … and {counted(len(doubt.findings) - _SHOWN, 'more finding')}: {read_on}"
    lines = [line for line in plain(doubt.printed).splitlines() if line.strip()]
    yield from (f"  │ {line}".rstrip() for line in lines[-_LINES:])


def _meant(asked: QuestionView, meaning: str) -> str:
    """Say under an answer what it means, where that cannot be guessed."""
    return "" if asked.reason in _PLAIN else f"\n→ {meaning}"


def headline(run: RunView) -> str:
    """Say how a run stands; less than what was asked for is marked."""
    return f"{painted(run.standing, run.status)}  {title(run.task)}"


def name(records: Records, run: RunView) -> Rows:
    """Name a run, what of its name is enough, and what it was forked from."""
    short_name = records.short_name(run.id)
    yield "run", run.id if short_name == run.id else f"{run.id} ({short_name} is enough)"
    if run.fork is not None:
        yield "fork", f"of {run.fork.run}, which it shares {run.fork.version} events with"


def wait(records: Records, run: RunView) -> Rows:
    """Say what a run waits for, and until when where a time is known."""
    row = records.queries.run(run.id)
    if row is None or row.waits_for is None:
        return
    if row.waits_until is not None:
        is_over, is_there = row.waits_until <= records.now(), is_attended(records, run.id)
        until = local_time(row.waits_until)
        yield "waits", due_words(until, is_over=is_over, is_attended=is_there)
    else:
        yield "waits", f"for {one_line(row.waits_for)}"


def spent(run: RunView) -> Rows:
    """Say what a run has consumed, and whether that is only estimated."""
    usage = run.usage
    if not (usage.tokens_in or usage.tokens_out or usage.cost):
        return
    tokens = f"{usage.tokens_in} tokens in, {usage.tokens_out} out"
    doubt = " (estimated)" if usage.estimated else ""
    yield "spent", f"{usage.cost:.4f} USD, {tokens}{doubt}"


def outcome(records: Records, run: RunView) -> Rows:
    """Say how a run ended: what stood in its way first, then what came of it."""
    if run.outcome is None:
        return
    ended = f"{run.outcome.kind.value}: {one_line(run.outcome.reason)}"
    cause = find_cause(records, run)
    yield "outcome", ended if cause is None else f"{cause.line}\n{ended}"
    if cause is not None and cause.printed:
        yield "printed", "\n".join(f"│ {line}" for line in cause.printed)


_NO: Final = frozenset(
    said for said, meant in MEANINGS[AnswerKind.REVIEW].items() if meant is Meaning.REJECT
)


def remarks(records: Records, run: RunView) -> Rows:
    """Name the gates that did not pass and did not matter, and the roles that were outvoted."""
    passed = {step.step for step in run.steps if step.status is StepStatus.PASSED}
    doubtful = [it for it in latest(records.queries.gates(run.id)) if _warns(it, passed)]
    for label, verdicts in _DOUBTS:
        lines = [gate_line(records, it) for it in doubtful if it.verdict in verdicts]
        if lines:
            yield label, "\n".join(lines)
    excepted = [it for gate in latest(records.queries.gates(run.id)) if (it := _excepted(gate))]
    if excepted:
        yield "known red", "\n".join(dict.fromkeys(excepted))
    objected = _objecting(records.queries.attempts(run.id), passed)
    if objected:
        yield "objected", one_line(", ".join(objected))
    for (step, cli), crew in _same_agent(records.queries.attempts(run.id)).items():
        yield "one agent", one_line(f"{' and '.join(crew)} at {step}: {cli}")


def count_of_tests(records: Records, run: RunView) -> Rows:
    """Say how many tests a completed change has passed; above all where it was none."""
    if run.status is not RunStatus.COMPLETED or run.commit is None:
        return
    gates = latest(records.queries.gates(run.id))
    # A gate that looked at several steps ran the same tests again, and those that came since.
    most: dict[str, int] = {}
    for it in gates:
        most[it.gate] = max(most.get(it.gate, 0), it.tests or 0)
    counts = [f"{counted(number, 'test')} ({gate})" for gate, number in most.items() if number]
    commands = [it.gate for it in gates if it.gate not in change_gates()]
    if counts:
        yield "tests", one_line(f"{', '.join(counts)} ran")
    elif commands:
        said = f"gate {', '.join(commands)} passed and does not say how many it ran"
        yield "tests", one_line(f"nobody knows whether any was run: {said}")
    else:
        yield "tests", f"none were run: workflow {one_line(run.workflow)} has no gate that runs any"


def _excepted(gate: GateRow) -> str:
    """Repeat what the user lets be red at a gate, forgiven or not."""
    _, is_said, rest = (gate.reason or "").partition(KNOWN_RED)
    return one_line(f"{gate.gate}: {rest.partition(').')[0]})") if is_said else ""


def _warns(gate: GateRow, passed: set[StepName]) -> bool:
    """Tell whether the run went on although a gate did not pass; a step that failed says more."""
    is_overruled = gate.verdict in _OVERRULED and gate.step in passed
    return gate.verdict is Verdict.WARNED or is_overruled


def _same_agent(attempts: Sequence[AttemptRow]) -> dict[tuple[str, str], list[str]]:
    """Find the roles that worked side by side at a step and were one agent with one model."""
    crews = defaultdict[tuple[str, str], dict[int, str]](dict)
    for it in attempts:
        crews[it.step, it.cli][it.slot] = it.role
    return {place: list(crew.values()) for place, crew in crews.items() if len(crew) > 1}


def _objecting(attempts: Sequence[AttemptRow], passed: set[StepName]) -> list[str]:
    """Name who said no in the last visit to a step that passed all the same."""
    last = {it.step: it.visit for it in attempts}
    final = {
        (it.step, it.role): it.said
        for it in attempts
        if it.step in passed and it.visit == last[it.step]
    }
    return list(dict.fromkeys(role for (_, role), said in final.items() if said in _NO))
