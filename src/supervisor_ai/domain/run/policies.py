"""Everything that says what happens when workers fail and what they may cost, pinned together."""

from msgspec import Struct, field

from supervisor_ai.domain.run.approvals.policy import ApprovalPolicy
from supervisor_ai.domain.run.definition import Definition, Role, Step
from supervisor_ai.domain.run.failures.breaker import BreakerPolicy
from supervisor_ai.domain.run.failures.loops import LoopPolicy
from supervisor_ai.domain.run.failures.retries import RETRY_POLICIES, ParkingPolicy, RetryPolicy
from supervisor_ai.domain.run.gates import BaselinePolicy, HarnessRules
from supervisor_ai.domain.run.spending.budgets import Amount, Scope
from supervisor_ai.domain.run.spending.prices import PriceTable


class Policies(Struct, frozen=True, kw_only=True):
    """What a run does about failures and costs."""

    retries: dict[str, RetryPolicy] = field(default_factory=lambda: dict(RETRY_POLICIES))
    parking: ParkingPolicy = field(default_factory=ParkingPolicy)
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)
    loops: LoopPolicy = field(default_factory=LoopPolicy)
    budgets: dict[Scope, Amount] = field(default_factory=dict)
    prices: PriceTable = field(default_factory=PriceTable)
    baseline: BaselinePolicy = BaselinePolicy.ASK
    harness: HarnessRules = HarnessRules()
    approvals: ApprovalPolicy | None = None


def policy_of(definition: Definition, at: Step, role: Role) -> RetryPolicy:
    """Say how often and how patiently a step is tried."""
    policies = {**RETRY_POLICIES, **definition.retries}
    if at.retry_policy is not None:
        return policies[at.retry_policy].allowing(at.max_retries)
    limits = (at.max_retries, role.max_retries, definition.limits.step_max_retries)
    said = next((limit for limit in limits if limit is not None), None)
    return policies["default"].allowing(said)
