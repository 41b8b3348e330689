"""Policies, changes and people of the simulated desk, and by hand what each of them demands."""

from datetime import time, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from tests.support.kernel import flow, stop, work

from supervisor_ai.domain.git_flow.policy import GitPolicy
from supervisor_ai.domain.people import People, Person
from supervisor_ai.domain.quiet_hours import WEEK, QuietHours, QuietWindow
from supervisor_ai.domain.run.approvals.conditions import RiskCondition, read_condition
from supervisor_ai.domain.run.approvals.facts import Fact
from supervisor_ai.domain.run.approvals.policy import (
    ApprovalAction,
    ApprovalLevel,
    ApprovalPolicy,
    ConditionMatch,
    RiskLevel,
)
from supervisor_ai.domain.run.definition import Definition, StepKind
from supervisor_ai.domain.structs import replace

ADA: Final = Person(name="ada-l", user="ada", ssh="ada@example.com")
BOB: Final = Person(name="bob", ssh="bob@example.com")
CAROL: Final = Person(name="carol", ssh="carol@example.com")
EVE: Final = Person(name="eve", ssh="eve@example.com")
"""Nobody knows her."""
LEADS: Final = frozenset({"ada-l", "bob"})
PEOPLE: Final = People(groups={"leads": (ADA, BOB), "others": (CAROL,)})
WAIT: Final = timedelta(minutes=30)
QUIET_FROM, QUIET_TO = time(0, 10), time(2, 10)


class Risk(StrEnum):
    """What a change is about; a file of it says so."""

    SMALL = "small"
    MEDIUM = "medium"
    AUTH = "auth"
    PAYMENT = "payment"
    UNKNOWN = "unknown"
    SETTINGS = "settings"


class Rules(StrEnum):
    """Which policy a run pins."""

    NONE = "none"
    SEED = "seed"
    STRICT = "strict"
    LOOSE = "loose"
    MUTE = "mute"


class Need(StrEnum):
    """What a level demands."""

    NOTHING = "nothing"
    SILENCE = "silence"
    SOMEBODY = "somebody"
    A_LEAD = "a lead"
    TWO_LEADS = "two leads"


class Setting(NamedTuple):
    """What distinguishes one desk from another."""

    rules: Rules
    is_quiet: bool
    auto_commit: bool
    human: bool


_BY_SEED: Final = {
    Risk.SMALL: Need.NOTHING,
    Risk.MEDIUM: Need.SILENCE,
    Risk.AUTH: Need.A_LEAD,
    Risk.PAYMENT: Need.TWO_LEADS,
    Risk.UNKNOWN: Need.TWO_LEADS,
    Risk.SETTINGS: Need.A_LEAD,
}


def need(rules: Rules, risk: Risk) -> Need:
    """Say what a change needs under a policy; written by hand, and not worked out."""
    match rules:
        case Rules.NONE:
            return Need.NOTHING
        case Rules.SEED:
            return _BY_SEED[risk]
        case Rules.STRICT:
            return Need.TWO_LEADS
        case Rules.LOOSE:
            return Need.SOMEBODY if risk is Risk.SETTINGS else Need.NOTHING
        case Rules.MUTE:
            return Need.SOMEBODY


FACTS: Final = {
    Risk.SMALL: (1, False, False, False),
    Risk.MEDIUM: (5, False, False, False),
    Risk.AUTH: (1, True, False, False),
    Risk.PAYMENT: (1, True, True, False),
    Risk.UNKNOWN: (1, False, None, False),
    Risk.SETTINGS: (1, False, False, True),
}


def facts_of(risk: Risk) -> tuple[Fact, ...]:
    """Return what is known of a change."""
    count, auth, payment, settings = FACTS[risk]
    return (
        Fact(name="file_count", value=count),
        Fact(name="changes_auth_code", value=auth),
        Fact(name="changes_payment_code", value=payment),
        Fact(name="changes_supervisor_settings", value=settings),
    )


def _condition(text: str) -> RiskCondition:
    read = read_condition(text)
    assert isinstance(read, RiskCondition)
    return read


def _level(level: RiskLevel, action: ApprovalAction, condition: str) -> ApprovalLevel:
    return ApprovalLevel(
        level=level, action=action, conditions=(_condition(condition),), match=ConditionMatch.ANY
    )


_AUTO, _TELL = ApprovalAction.AUTO_APPROVE, ApprovalAction.NOTIFY_AND_TIMEOUT
_ONE, _MANY = ApprovalAction.REQUIRE_APPROVAL, ApprovalAction.REQUIRE_MULTI_APPROVAL
_TWO = replace(
    _level(RiskLevel.CRITICAL, _MANY, "changes_payment_code"), approvers=("leads",), needs=2
)
_TOLD = replace(
    _level(RiskLevel.MEDIUM, _TELL, "file_count < 10"), timeout=WAIT, channels=("slack",)
)
POLICIES: Final = {
    Rules.NONE: None,
    Rules.SEED: ApprovalPolicy(
        levels=(
            _TWO,
            replace(_level(RiskLevel.HIGH, _ONE, "changes_auth_code"), approvers=("leads",)),
            _TOLD,
            _level(RiskLevel.LOW, _AUTO, "file_count < 3"),
        )
    ),
    Rules.STRICT: ApprovalPolicy(
        levels=(replace(_TWO, conditions=(_condition("file_count > 0"),)),)
    ),
    Rules.LOOSE: ApprovalPolicy(levels=(_level(RiskLevel.LOW, _AUTO, "file_count < 100"),)),
    Rules.MUTE: ApprovalPolicy(levels=(replace(_TOLD, channels=("pigeon",)),)),
}


def definition_of(setting: Setting) -> Definition:
    """Write a workflow that works and lands twice."""
    commit = replace(stop("commit", StepKind.COMMIT), human_approval=setting.human)
    again = work("polish"), stop("check", StepKind.GATE), stop("land", StepKind.COMMIT)
    window = QuietWindow(days=WEEK, start=QUIET_FROM, end=QUIET_TO)
    return replace(
        flow(work("build"), stop("test", StepKind.GATE), commit, *again),
        approvals=POLICIES[setting.rules],
        quiet_hours=QuietHours(windows=(window,) if setting.is_quiet else ()),
        git=GitPolicy(auto_commit=setting.auto_commit),
    )
