"""Kinds of steps, gates, answers and questions: what is said about each, and what its words mean.

Those that all drivers share are here; a slice registers where that of its own is.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from supervisor_ai.control.slice_names import (
    SliceGate,
    import_value,
    registered_answer,
    registered_slices,
    registered_step,
    unknown_word,
)
from supervisor_ai.domain.run.answers import MEANINGS, AnswerWord, Meaning
from supervisor_ai.domain.run.definition import StepKind, StepWord
from supervisor_ai.domain.run.gates import GateKind, GateWord
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord


class StepPhrases(Struct, frozen=True, kw_only=True):
    """What is said about a kind of step."""

    deed: str
    """What it does, in a graph; nothing: its roles say so."""
    preview: str
    """What it would do, before a run."""


_SHARED_STEPS: Final[Mapping[StepWord, StepPhrases]] = {
    StepKind.ROLE: StepPhrases(deed="", preview="a role works"),
    StepKind.GATE: StepPhrases(deed="gate", preview="gate"),
    StepKind.HUMAN: StepPhrases(deed="a person approves", preview="a person approves"),
    StepKind.COMMIT: StepPhrases(deed="commit", preview="commit on the run's branch"),
    StepKind.PULL_REQUEST: StepPhrases(
        deed="pull request", preview="push the run's branch and open a pull request"
    ),
}


def step_phrases(kind: StepWord) -> StepPhrases:
    """Find what is said about a kind of step, wherever it comes from."""
    if kind in _SHARED_STEPS:
        return _SHARED_STEPS[kind]
    registered = registered_step(kind)
    if registered is None:
        raise unknown_word("kind of step", kind)
    return import_value(registered.phrases, StepPhrases, "word about a kind of step")


class ApprovalPhrases(Struct, frozen=True, kw_only=True):
    """What is said about a question to a person."""

    asking: str
    """What a step does, so that `asks a person` can follow."""
    why: str
    yes: str
    """What a yes means."""
    no: str
    mend: str | None = None
    """What a person may do with the files of the run before the answer, in one word."""
    explained: str | None = None
    """What a yes accepts that has to say why; None: it need not."""


SHARED_PHRASES: Final[Mapping[ReasonWord, ApprovalPhrases]] = {
    ApprovalReason.HUMAN_GATE: ApprovalPhrases(
        asking="",
        why="the workflow asks a person here",
        yes="the run goes on",
        no="back, where the workflow names a way; else the run ends",
    ),
    ApprovalReason.BLOCKED: ApprovalPhrases(
        asking="is blocked and ",
        why="the worker cannot go on by itself",
        yes="the worker tries again, and is told your note",
        no="the run ends",
        mend="edit",
    ),
    ApprovalReason.FINDINGS: ApprovalPhrases(
        asking="has findings that only a person may accept and ",
        why="a gate found what only a person may accept",
        yes="the findings are accepted as they are, for the reason you give",
        no="back to the worker with your words",
        explained="A finding",
    ),
    ApprovalReason.REVIEW_LOOP: ApprovalPhrases(
        asking="goes round in circles with its reviewers and ",
        why="reviewers and implementer go round in circles",
        yes="you overrule the reviewers, and the step passes",
        no="back to the worker with your words; rounds are counted anew",
    ),
    ApprovalReason.IMPOSSIBLE_WAIT: ApprovalPhrases(
        asking="waits for approvals that cannot come and ",
        why="those who have to agree cannot be had",
        yes="the step passes without them",
        no="back to the worker with your words",
    ),
    ApprovalReason.PULL_REQUEST: ApprovalPhrases(
        asking="could not open a pull request and ",
        why="no pull request could be opened",
        yes="you opened it yourself",
        no="the run ends",
    ),
    ApprovalReason.PULL_REQUEST_UNSEEN: ApprovalPhrases(
        asking="cannot see how its pull request stands and ",
        why="nobody can tell how the pull request stands",
        yes="it is looked at again",
        no="the run ends; the pull request stays as it is",
    ),
    ApprovalReason.PULL_REQUEST_ROUNDS: ApprovalPhrases(
        asking="has a pull request that does not become green by itself and ",
        why="the pull request does not become green by itself",
        yes="you have seen to it, and the step passes",
        no="back to the worker with your words; rounds are counted anew",
    ),
    ApprovalReason.BASELINE: ApprovalPhrases(
        asking="begins with tests that do not pass and ",
        why="the tests do not pass on the files that the run starts from",
        yes="the run goes on; whoever works is shown what did not pass before",
        no="the run ends before a worker is paid",
    ),
    ApprovalReason.RISK: ApprovalPhrases(
        asking="has made a change whose risk somebody has to look at and ",
        why="the approval policy wants people to decide about this change",
        yes="the change lands, once all have agreed who have to",
        no="back to the worker with your words and all comments",
        mend="edit",
    ),
    ApprovalReason.LANDING: ApprovalPhrases(
        asking="could not put the work where it belongs and ",
        why="the work could not be put where it belongs",
        yes="it is tried again",
        no="it is done again, from the files as they are now",
    ),
    ApprovalReason.COMPLETION: ApprovalPhrases(
        asking="has the work ready and ",
        why="the work is done, and lands when you complete the task",
        yes="it is committed on the run's branch and merged into its target",
        no="back to the worker with your words",
    ),
}


def approval_phrases(reason: ReasonWord) -> ApprovalPhrases:
    """Find what is said about a question, wherever its reason comes from."""
    if reason in SHARED_PHRASES:
        return SHARED_PHRASES[reason]
    places = (it.reasons.get(reason) for it in registered_slices().values())
    place = next(filter(None, places), None)
    if place is None:
        raise unknown_word("reason to ask a person", reason)
    return import_value(place, ApprovalPhrases, "word about a question")


def asks(reason: ReasonWord) -> str:
    """Say why a person is asked, so that the question can follow."""
    return f"{approval_phrases(reason).asking}asks a person"


def answer_meanings(kind: AnswerWord) -> Mapping[str, Meaning]:
    """Find what the words of an answer mean, wherever its kind comes from."""
    if kind in MEANINGS:
        return MEANINGS[kind]
    registered = registered_answer(kind)
    if registered is None:
        raise unknown_word("kind of answer", kind)
    return import_value(registered.meanings, dict, "table of meanings")


def is_approving(kind: AnswerWord) -> bool:
    """Tell whether the word of such an answer lets the work of others pass or not."""
    return Meaning.REJECT in answer_meanings(kind).values()


_SHARED_GATES: Final = (
    SliceGate(
        GateKind.CHANGELOG,
        look="supervisor_ai.gates.change.changelog:look_at_changelog",
        description="A change of the code comes with an entry in the changelog",
    ),
    SliceGate(
        GateKind.CLAIMS,
        look="supervisor_ai.gates.worker_claims.claims_gate:look_at_claims",
        description="The files, tests and commits that a worker reports are there",
    ),
    SliceGate(
        GateKind.AUTO_RUN_FILES,
        look="supervisor_ai.gates.change.auto_run:look_at_auto_run_files",
        description="Nothing runs by itself on your machine, hides its name or links elsewhere",
    ),
    SliceGate(
        GateKind.TEST_INTEGRITY,
        look="supervisor_ai.gates.integrity.examine:look_at_tests",
        description="No test is deleted, skipped, emptied or weakened",
    ),
    SliceGate(GateKind.COMPLEXITY, look="supervisor_ai.gates.change.complexity:look_at_complexity"),
)


def change_gates() -> Mapping[GateWord, SliceGate]:
    """Return the kinds of gates that look at a change and run nothing, those of slices last."""
    own = (gate for it in registered_slices().values() for gate in it.gates)
    return {GateWord(gate.word): gate for gate in (*_SHARED_GATES, *own)}
