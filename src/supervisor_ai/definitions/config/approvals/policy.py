"""What the config files say together about approvals, as the policy that a run pins."""

from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from typing import Final

from supervisor_ai.definitions.config.merged import MergedConfig
from supervisor_ai.definitions.config.notifications import Notifications
from supervisor_ai.definitions.schema.config import ConfigShape
from supervisor_ai.definitions.schema.people.approvals import LevelShape, OwnFactShape
from supervisor_ai.definitions.sources.mistakes import FileMistakes, KeyPath
from supervisor_ai.domain.people import People, Person
from supervisor_ai.domain.run.approvals.conditions import (
    BadCondition,
    RiskCondition,
    read_condition,
)
from supervisor_ai.domain.run.approvals.facts import FACTS
from supervisor_ai.domain.run.approvals.policy import (
    REQUIRING,
    RISKIEST_FIRST,
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    OwnFact,
    RiskLevel,
)

KEY: Final = "approval_gates"
FACTS_KEY: Final = "approval_facts"
_USUAL_TIME: Final = timedelta(minutes=30)
_USUAL_NUMBER: Final = 2


def read_approvals(config: MergedConfig, mistakes: FileMistakes) -> ApprovalPolicy | None:
    """Make the policy of what the files say, and note what in it cannot be."""
    policy = policy_of(config.shape)
    if config.shape.approval_gates is not None:
        if policy is None:
            mistakes.add(config.place(KEY), "names no level of risk")
        for path, problem in _problems(config.shape):
            mistakes.add(config.place(*path), problem)
    return policy


def policy_of(shape: ConfigShape) -> ApprovalPolicy | None:
    """Make the policy of one shape, as far as it can be understood."""
    levels = dict(_levels(shape))
    if not levels:
        return None
    own = frozenset(shape.approval_facts)
    return ApprovalPolicy(
        levels=tuple(_level(name, it, own) for name, it in levels.items()),
        facts={name: _own_fact(it) for name, it in shape.approval_facts.items()},
    )


def _levels(shape: ConfigShape) -> Iterator[tuple[RiskLevel, LevelShape]]:
    for name in RISKIEST_FIRST:
        found = getattr(shape.approval_gates, name.value, None)
        if found is not None:
            yield name, found


def _level(name: RiskLevel, shape: LevelShape, own: frozenset[str]) -> ApprovalLevel:
    action = ApprovalAction(shape.action)
    usual = ConditionMatch.ANY if action in REQUIRING else ConditionMatch.ALL
    minutes, number = shape.timeout_minutes, shape.min_approvers
    is_multi = action is ApprovalAction.REQUIRE_MULTI_APPROVAL
    read = (read_condition(text, own) for text in shape.conditions)
    return ApprovalLevel(
        level=name,
        conditions=tuple(it for it in read if isinstance(it, RiskCondition)),
        action=action,
        match=ConditionMatch(shape.match) if shape.match else usual,
        timeout=_USUAL_TIME if minutes is None else timedelta(minutes=minutes),
        channels=tuple(shape.notification),
        approvers=tuple(shape.approvers),
        needs=number or (_USUAL_NUMBER if is_multi else 1),
    )


def _own_fact(shape: OwnFactShape) -> OwnFact:
    verdicts = tuple(shape.verdict) or ("failed", "warned", "not_run")
    return OwnFact(
        paths=tuple(shape.paths), gate=shape.gate, verdicts=verdicts if shape.gate else ()
    )


def _problems(shape: ConfigShape) -> Iterator[tuple[KeyPath, str]]:
    own = frozenset(shape.approval_facts)
    for name, level in _levels(shape):
        for number, text in enumerate(level.conditions):
            read = read_condition(text, own)
            if isinstance(read, BadCondition):
                yield (KEY, name.value, "conditions", number), read.problem
        for key, problem in _contradictions(level):
            yield (KEY, name.value, key), problem
    for fact, found in shape.approval_facts.items():
        if fact in FACTS or fact.startswith("no_"):
            yield (FACTS_KEY, fact), "has the name of a fact that there is already"
        if bool(found.paths) == bool(found.gate):
            yield (FACTS_KEY, fact), "needs either 'paths' or 'gate', and not both"


def _contradictions(level: LevelShape) -> Iterator[tuple[str, str]]:
    """Name what does not go with the action of a level."""
    action, number = ApprovalAction(level.action), level.min_approvers
    if level.timeout_minutes and action is not ApprovalAction.NOTIFY_AND_TIMEOUT:
        yield "timeout_minutes", f"goes with 'notify_and_timeout', not with {level.action!r}"
    if level.approvers and action is ApprovalAction.AUTO_APPROVE:
        yield "approvers", "names people, but 'auto_approve' asks nobody"
    is_multi = action is ApprovalAction.REQUIRE_MULTI_APPROVAL
    if number is not None and not is_multi and number > 1:
        yield "min_approvers", f"goes with 'require_multi_approval', not with {level.action!r}"
    if number is not None and is_multi and number < _USUAL_NUMBER:
        yield "min_approvers", "must be at least 2 where several people have to agree"


def check_names(
    config: MergedConfig, channels: Notifications, people: People, mistakes: FileMistakes
) -> None:
    """Note channels and groups of people that lead nowhere."""
    for name, _ in _levels(config.shape):
        path = (KEY, name.value, "notification")
        one = config.choice(*path)
        for choice in (one,) if one else config.choices(*path):
            channels.check(choice.name, choice.place, mistakes)
    _check_approvers(config, people.groups, mistakes)


def _check_approvers(
    config: MergedConfig, groups: Mapping[str, Collection[Person]], mistakes: FileMistakes
) -> None:
    """Note groups of approvers that could never agree: unknown, empty, or too small."""
    for name, level in _levels(config.shape):
        for number, group in enumerate(level.approvers):
            if not groups.get(group):
                known = ", ".join(sorted(groups)) or "none"
                problem = (
                    f"names the group {group!r}, which nobody belongs to; "
                    f"'people' of your own config has: {known}"
                )
                mistakes.add(config.place(KEY, name.value, "approvers", number), problem)
        _check_number(config, name, level, groups, mistakes)


def _check_number(
    config: MergedConfig,
    name: RiskLevel,
    level: LevelShape,
    groups: Mapping[str, Collection[Person]],
    mistakes: FileMistakes,
) -> None:
    needed = _level(name, level, frozenset()).needs
    chosen = level.approvers or groups
    persons = {person for group in chosen for person in groups.get(group, ())}
    is_multi = level.action == ApprovalAction.REQUIRE_MULTI_APPROVAL.value
    if is_multi and len(persons) < needed:
        problem = f"needs {needed} people to agree, and its groups have {len(persons)} in all"
        mistakes.add(config.place(KEY, name.value), problem)
