"""Who puts a plan together."""

from collections.abc import Mapping
from typing import Final, cast

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.drivers.feature import events as f
from supervisor_ai.drivers.feature.effects import DraftPlan
from supervisor_ai.drivers.feature.ports import PlanAnswers, PlanDrafts, PlanReader
from supervisor_ai.engine.world import Operation

_FILE: Final = "plan"
_EMPTY: Final = '{"status": "PLANNED", "phases": []}'
_LONGEST: Final = 40_000


class Planning:
    """Makes plans of answers."""

    def __init__(self, ports: Mapping[str, object]) -> None:
        self._ports = ports

    async def draft(self, effect: DraftPlan, operation: Operation) -> f.PlanDrafted | f.PlanRefused:
        """Put a plan together; keep it where it can be edited, or say what is wrong with it."""
        drafts = cast("PlanDrafts", self._ports["drafts"])
        answers = PlanAnswers(
            feature=effect.feature,
            task=operation.text_of(effect.task),
            phases=_EMPTY if effect.phases is None else operation.text_of(effect.phases),
            components=_EMPTY
            if effect.components is None
            else operation.text_of(effect.components),
        )
        try:
            text = drafts.write(answers)
        except InvalidInput as error:
            findings, _ = operation.keep(error.message[:_LONGEST])
            return f.PlanRefused(
                step=effect.step, visit=effect.visit, slot=effect.slot, findings=findings
            )
        feature = cast("PlanReader", self._ports["reader"]).read(_FILE, text)
        plan, _ = operation.keep(text)
        drafts.keep(feature.id, operation.text_of(plan))
        return f.PlanDrafted(
            step=effect.step,
            visit=effect.visit,
            slot=effect.slot,
            feature=feature.id,
            plan=plan,
            components=len(feature.components),
        )
