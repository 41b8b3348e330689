"""The catalogue of checks: what each is called, who decides it, and where it belongs."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from supervisor_ai.drivers.checkpoint.checks import (
    coverage,
    health,
    own,
    plan,
    process,
    terminology,
)
from supervisor_ai.drivers.checkpoint.checks.model import (
    CheckGroup,
    CheckKind,
    CheckSpec,
    Kept,
    RuleOutcome,
    Undecided,
)
from supervisor_ai.drivers.checkpoint.checks.view import CheckedSession, Params

Rule = Callable[[CheckedSession, Params], RuleOutcome | Undecided]
ASK: Final = "ask"
"""The rule of a check that is nothing but a question."""


class CheckDefinition(Struct, frozen=True, kw_only=True):
    """A check that role files can name."""

    rule: str
    title: str
    group: CheckGroup
    kind: CheckKind = CheckKind.DETERMINISTIC
    decide: Rule | None = None
    """What the text decides; None: nothing."""
    question: str = ""
    """What a worker is asked, always or where the text does not decide."""
    needs: tuple[Kept, ...] = tuple(Kept)
    """What a worker has to know of earlier wakes to answer it."""
    fine: str = ""
    """What is said of it among the findings where it passes."""
    checkpoints: tuple[str, ...] = ()
    """Where it belongs among the built-in checkpoints; nothing: where a file names it."""
    params: dict[str, type] = field(default_factory=dict)
    """What a file may say about it."""
    required: tuple[str, ...] = ()
    is_blocking: bool = False
    """Whether a checkpoint blocks where it fails, unless a file says otherwise."""


EVERY: Final = "every"
_FIRST, _SECOND, _THIRD = "CHECKPOINT-001", "CHECKPOINT-002", "CHECKPOINT-003"
_CONSISTENCY, _PROCESS, _HEALTH = CheckGroup.CONSISTENCY, CheckGroup.PROCESS, CheckGroup.HEALTH

_DEFINITIONS: Final = (
    CheckDefinition(
        rule="terminology",
        title="The same concept has the same term",
        group=_CONSISTENCY,
        decide=terminology.terminology,
        question="Is the same concept called by the same term in all artifacts?",
        fine="terminology aligned",
        checkpoints=(_FIRST, _SECOND),
    ),
    CheckDefinition(
        rule="goals_mapped",
        is_blocking=True,
        title="Every goal of the vision has a requirement",
        group=_CONSISTENCY,
        decide=coverage.goals_mapped,
        fine="every goal has a requirement",
        checkpoints=(_FIRST,),
    ),
    CheckDefinition(
        rule="requirements_in_scope",
        title="No requirement is outside the scope of the brief",
        group=_CONSISTENCY,
        kind=CheckKind.JUDGEMENT,
        question="Is there a requirement that goes beyond the scope that the brief sets?",
        needs=(Kept.GOALS, Kept.REQUIREMENTS),
        fine="requirements within the brief",
        checkpoints=(_FIRST,),
    ),
    CheckDefinition(
        rule="decisions_agree",
        is_blocking=True,
        title="Decisions do not contradict each other",
        group=_CONSISTENCY,
        kind=CheckKind.JUDGEMENT,
        question="Does a decision contradict another decision of these artifacts?",
        needs=(Kept.DECISIONS,),
        fine="decisions agree",
        checkpoints=(_FIRST,),
    ),
    CheckDefinition(
        rule="decision_chain",
        title="Each decision builds on those before it",
        group=_CONSISTENCY,
        kind=CheckKind.JUDGEMENT,
        question=(
            "Does every later decision build on the earlier ones of the brief, the requirements, "
            "the architecture and the stories, without a contradiction?"
        ),
        needs=(Kept.GOALS, Kept.REQUIREMENTS, Kept.COMPONENTS, Kept.DECISIONS),
        fine="decision chain consistent",
        checkpoints=(_SECOND,),
    ),
    CheckDefinition(
        rule="components_have_stories",
        title="Every component of the architecture has a story",
        group=_CONSISTENCY,
        decide=coverage.components_have_stories,
        fine="every component has a story",
        checkpoints=(_SECOND,),
    ),
    CheckDefinition(
        rule="wisdom_agrees",
        title="Wisdom does not contradict the artifacts",
        group=_CONSISTENCY,
        kind=CheckKind.JUDGEMENT,
        decide=process.wisdom_agrees,
        question="Does an entry of the wisdom contradict what the artifacts say?",
        needs=(Kept.WISDOM, Kept.GOALS, Kept.REQUIREMENTS, Kept.COMPONENTS, Kept.DECISIONS),
        fine="wisdom agrees",
        checkpoints=(_SECOND,),
    ),
    CheckDefinition(
        rule="must_haves_planned",
        is_blocking=True,
        title="Every must-have requirement has a task",
        group=_CONSISTENCY,
        decide=coverage.must_haves_planned,
        fine="every must-have is planned",
        checkpoints=(_THIRD,),
    ),
    CheckDefinition(
        rule="plan_cites_decisions",
        title="The plan cites decisions of the architecture",
        group=_CONSISTENCY,
        decide=plan.plan_cites_decisions,
        fine="plan cites the architecture",
        checkpoints=(_THIRD,),
    ),
    CheckDefinition(
        rule="artifacts_exist",
        is_blocking=True,
        title="The artifacts of the scope are there",
        group=_PROCESS,
        decide=process.artifacts_exist,
        fine="all artifacts present",
        checkpoints=(_FIRST, _SECOND, _THIRD),
    ),
    CheckDefinition(
        rule="self_scores",
        title="Self-scores do not degrade",
        group=_PROCESS,
        decide=process.self_scores,
        fine="self-scores not degrading",
        checkpoints=(_SECOND,),
        params={"drop": int},
    ),
    CheckDefinition(
        rule="open_questions",
        title="No critical question is open",
        group=_PROCESS,
        decide=process.open_questions,
        question="Is one of the open questions of the artifacts critical for what comes next?",
        needs=(Kept.QUESTIONS,),
        fine="no critical question open",
        checkpoints=(_SECOND,),
    ),
    CheckDefinition(
        rule="complexity_fits",
        title="The complexity fits the number of modules",
        group=_PROCESS,
        decide=plan.complexity_fits,
        fine="complexity fits",
        checkpoints=(_THIRD,),
    ),
    CheckDefinition(
        rule="plan_graph",
        is_blocking=True,
        title="The plan has no cycles and no orphans",
        group=_PROCESS,
        decide=plan.plan_graph,
        fine="plan in order",
        checkpoints=(_THIRD,),
    ),
    CheckDefinition(
        rule="execution_method",
        title="The execution method fits the complexity",
        group=_PROCESS,
        kind=CheckKind.JUDGEMENT,
        question="Does the way in which the plan is to be executed fit its complexity?",
        needs=(Kept.TASKS, Kept.MODULES, Kept.COMPLEXITY),
        fine="execution method fits",
        checkpoints=(_THIRD,),
    ),
    CheckDefinition(
        rule="role_errors",
        title="No role has three errors or more",
        group=_HEALTH,
        decide=health.role_errors,
        fine="no role with many errors",
        checkpoints=(EVERY,),
        params={"limit": int},
    ),
    CheckDefinition(
        rule="recent_activity",
        title="Every task in progress has recent activity",
        group=_HEALTH,
        decide=health.recent_activity,
        fine="tasks active",
        checkpoints=(EVERY,),
        params={"minutes": int},
    ),
    CheckDefinition(
        rule="duplicate_spawns",
        title="Nothing was started twice",
        group=_HEALTH,
        decide=health.duplicate_spawns,
        fine="no duplicate spawns",
        checkpoints=(EVERY,),
    ),
    CheckDefinition(
        rule="artifact_exists",
        title="An artifact is there",
        group=_PROCESS,
        decide=own.artifact_exists,
        params={"path": str},
        required=("path",),
    ),
    CheckDefinition(
        rule="contains_heading",
        title="An artifact has a heading",
        group=_PROCESS,
        decide=own.contains_heading,
        params={"path": str, "heading": str},
        required=("path", "heading"),
    ),
    CheckDefinition(
        rule="names_id",
        title="An artifact names an id",
        group=_CONSISTENCY,
        decide=own.names_id,
        params={"path": str, "id": str},
        required=("path", "id"),
    ),
    CheckDefinition(rule=ASK, title="A question", group=_CONSISTENCY, kind=CheckKind.JUDGEMENT),
)
CATALOGUE: Final = {it.rule: it for it in _DEFINITIONS}
"""All checks by the names that role files give them."""


def spec_of(rule: str) -> CheckSpec:
    """Ask for a check of the catalogue as it is."""
    found = CATALOGUE[rule]
    return CheckSpec(
        id=rule,
        rule=rule,
        title=found.title,
        group=found.group,
        question=found.question,
        is_blocking=found.is_blocking,
    )
