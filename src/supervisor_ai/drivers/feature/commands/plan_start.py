"""Starting to plan a feature: who is asked is looked up and pinned."""

import re
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.run_start import (
    PreparedRun,
    RunWishes,
    checked,
    find_base,
    pin,
)
from supervisor_ai.domain.errors import Conflict, InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plans import FeatureOffice, plan_names
from supervisor_ai.drivers.feature.definition import NAME
from supervisor_ai.drivers.feature.runs import feature_runs

ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LETTER: Final = "F"


class WantedPlan(Struct, frozen=True, kw_only=True):
    """What a run that plans a feature is to pin."""

    feature: str
    cli: str | None = None


class PlanRequest(RunWishes, frozen=True, kw_only=True):
    """How a feature is to be planned."""

    words: str
    feature: str | None = None
    """The id that it is to have; None: the next that is free."""


class PreparedPlan(Struct, frozen=True, kw_only=True):
    """A run that could be submitted, and the id of what it would plan."""

    prepared: PreparedRun
    feature: str


def prepare_plan(office: FeatureOffice, request: PlanRequest) -> PreparedPlan:
    """Look up what planning a feature needs, without changing anything."""
    preflight = office.preflight
    feature = _chosen_id(office, request.feature)
    asked = checked(preflight, request.about(request.words))
    base = find_base(preflight, request.base)
    wanted = WantedPlan(feature=feature, cli=request.cli)
    loaded = preflight.catalog.resolve_for(NAME, base.sha, wanted)
    prepared = pin(preflight, asked, base, loaded)
    prepared = replace(prepared, permit=f"feature plan:{feature}")
    return PreparedPlan(prepared=prepared, feature=feature)


def _chosen_id(office: FeatureOffice, wanted: str | None) -> str:
    """Take the id that is wanted, or the next one that nobody has."""
    built = {it.definition.feature.id for it in feature_runs(office.records)}
    taken = {*plan_names(office), *built}
    if wanted is None:
        numbers = (f"{_LETTER}{number}" for number in range(1, len(taken) + 2))
        return next(it for it in numbers if it not in taken)
    if not ID.fullmatch(wanted):
        raise InvalidInput(
            f"{wanted!r} is no usable id: letters, digits, '-' and '_', at most 64 of them."
        )
    if wanted in taken:
        raise Conflict(
            f"There is a feature {wanted!r} already.",
            hint=f"Edit it: supervisor feature edit {wanted}; or choose another --id.",
        )
    return wanted
