"""Taking what the code says about dependencies into a plan."""

from collections.abc import Sequence

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plans import FeatureOffice, KeptPlan
from supervisor_ai.drivers.feature.plan.model import Component, ComponentId, Feature
from supervisor_ai.drivers.feature.runs import newest_of

Edge = tuple[ComponentId, ComponentId]
"""A component, and the one that it needs."""


def code_of(office: FeatureOffice, feature: str) -> CommitSha:
    """Find the newest code of a feature: its branch, or where the checkout stands."""
    newest = newest_of(office.records, feature)
    built = None if newest is None else newest.row.commit
    return built or office.preflight.repository.resolve(None).sha


def with_edges(office: FeatureOffice, plan: KeptPlan, edges: Sequence[Edge]) -> KeptPlan:
    """Write edges into the text of a plan; what comes of it is read and checked like any plan."""
    newest = newest_of(office.records, plan.feature.id)
    if newest is not None and newest.is_unfinished:
        raise Conflict(
            f"Run {newest.row.id!r} builds the feature {plan.feature.id!r} as it was planned.",
            hint=f"First: supervisor feature cancel {plan.feature.id}",
        )
    text = plan.text
    parts = {it.id: it for it in plan.feature.components}
    for component, needs in edges:
        within, word = _words(plan.feature, parts[component], parts[needs])
        changed = office.reader.with_need(text, within, parts[component].name, word)
        if changed is None:
            raise _too_unusual(parts[component], word)
        text = changed
    read = office.reader.read(str(plan.file), text, office.projects())
    wanted = {it: {*parts[it].depends_on} for it in parts}
    for component, needs in edges:
        wanted[component].add(needs)
    found = {it.id: {*it.depends_on} for it in read.components}
    if found != wanted:
        component = next(it for it in parts if found.get(it) != wanted[it])
        raise _too_unusual(parts[component], ", ".join(sorted(wanted[component])))
    return replace(plan, feature=read, text=text)


def with_external(office: FeatureOffice, plan: KeptPlan, names: Sequence[str]) -> KeptPlan:
    """Remember which imports are packages, so that nobody is asked again."""
    text = office.reader.with_external(plan.text, names)
    if text is None:
        raise Conflict(
            "The plan is written so that its text cannot be changed.",
            hint=f"Add it yourself, below `feature`: external: [{', '.join(names)}]",
        )
    return replace(
        plan, feature=office.reader.read(str(plan.file), text, office.projects()), text=text
    )


def _words(feature: Feature, component: Component, needs: Component) -> tuple[str, str]:
    """Call the phase of a component, and what it needs, as the plan does."""
    names = {it.id: it.name for it in feature.phases}
    within = names[component.phase]
    word = needs.name if needs.phase == component.phase else feature.short_names()[needs.id]
    return within, word


def _too_unusual(component: Component, word: str) -> Conflict:
    return Conflict(
        f"The plan is written so that its text cannot be changed at {component.name!r}.",
        hint=f"Add it yourself: depends_on: [{word}]",
    )
