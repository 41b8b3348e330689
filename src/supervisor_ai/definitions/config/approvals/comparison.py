"""Whether a project's approval policy asks for less than the user's own."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.domain.run.approvals.policy import (
    REQUIRING,
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
)

_STRENGTH: Final = tuple(ApprovalAction)
"""The actions from the weakest to the strongest."""


def looser_at(project: ApprovalPolicy, user: ApprovalPolicy) -> Iterator[str]:
    """Name the levels at which the project may let pass what the user's policy would not.

    What cannot be told apart for certain counts as looser.
    """
    for mine in user.levels:
        theirs = project.level(mine.level)
        if mine.action in REQUIRING and (theirs is None or not _demands_as_much(theirs, mine)):
            yield mine.level.value
    for theirs in project.levels:
        mine_here = user.level(theirs.level)
        if theirs.action in REQUIRING:
            continue
        if mine_here is None or not _lets_pass_no_more(theirs, mine_here):
            yield theirs.level.value
    if any(project.facts.get(name) != fact for name, fact in user.facts.items()):
        yield "approval_facts"


def _demands_as_much(theirs: ApprovalLevel, mine: ApprovalLevel) -> bool:
    """Tell whether a level that asks people asks them as often and as many."""
    is_as_wide = theirs.match is ConditionMatch.ANY or theirs.match is mine.match
    narrower = set(theirs.conditions) ^ set(mine.conditions)
    if theirs.match is ConditionMatch.ANY:
        narrower = set(mine.conditions) - set(theirs.conditions)
    return (
        is_as_wide
        and not narrower
        and _STRENGTH.index(theirs.action) >= _STRENGTH.index(mine.action)
        and theirs.needs >= mine.needs
        and _no_more_people(theirs, mine)
    )


def _no_more_people(theirs: ApprovalLevel, mine: ApprovalLevel) -> bool:
    if not mine.approvers:
        return True
    return bool(theirs.approvers) and set(theirs.approvers) <= set(mine.approvers)


def _lets_pass_no_more(theirs: ApprovalLevel, mine: ApprovalLevel) -> bool:
    """Tell whether a level that needs nobody is met no more often, and waits as long."""
    is_as_narrow = theirs.match is ConditionMatch.ALL or theirs == mine
    return (
        is_as_narrow
        and set(mine.conditions) <= set(theirs.conditions)
        and _STRENGTH.index(theirs.action) >= _STRENGTH.index(mine.action)
        and theirs.timeout >= mine.timeout
    )
