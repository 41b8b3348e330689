"""Starting to build a feature: what each component's run needs is looked up and pinned, too."""

from typing import cast

from msgspec import Struct, field
from msgspec.structs import asdict

from supervisor_ai.control.commands.run_start import (
    WORKFLOW,
    PreparedRun,
    RunWishes,
    checked,
    find_base,
    pin,
    submit,
)
from supervisor_ai.control.commands.sandbox_choice import choose_sandbox
from supervisor_ai.control.commands.trust import keep_consent
from supervisor_ai.control.preflight import require_agents
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.slice_names import registered_slices
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.gates import BaselinePolicy
from supervisor_ai.domain.run.spending.budget_words import parse_budget
from supervisor_ai.domain.run.spending.budgets import NOTHING, Scope
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plans import FeatureOffice
from supervisor_ai.drivers.feature.definition import (
    AT_END,
    NAME,
    WATCHED,
    FeatureDefinition,
    expect_feature,
    permit_of,
    workflow_of,
)
from supervisor_ai.drivers.feature.kinds import INTERFACES
from supervisor_ai.drivers.feature.plan.interfaces import locked_files
from supervisor_ai.drivers.feature.plan.model import Component, ComponentId, Feature
from supervisor_ai.drivers.feature.plan.settings import FeatureSettings
from supervisor_ai.drivers.quality.attached import detached
from supervisor_ai.drivers.quality.settings import SECTION, Quality
from supervisor_ai.drivers.quality.supervisors import LookMoment, WantedLook
from supervisor_ai.engine.pinned import pinned_powers

Variant = tuple[str | None, str | None, str | None]
"""The workflow, the role and the agent of a component."""


class FeatureRequest(RunWishes, frozen=True, kw_only=True):
    """How a feature is to be built; its budget is that of all components together."""

    max_parallel: int | None = None


class PreparedFeature(Struct, frozen=True, kw_only=True):
    """A run that could be submitted, and what the runs of its components would pin."""

    prepared: PreparedRun
    variants: dict[Variant, Definition]
    looks: dict[ComponentId, Definition] = field(default_factory=dict)
    """What runs of quality supervisors would pin; nothing: none look."""

    async def submit(self, project: OpenProject, prepared: PreparedRun, *, queued: bool) -> RunId:
        """Keep what components pin, then write the run's first fact."""
        definition = expect_feature(prepared.definition)
        needs_hard_limits = definition.sandbox.require_hard_limits
        sandbox = await choose_sandbox(
            project, prepared.sandbox, needs_hard_limits=needs_hard_limits
        )
        kept: dict[Variant, ArtifactHash] = {}
        looks = {_of_look(name): it for name, it in self.looks.items()}
        for variant, pinned in {**self.variants, **looks}.items():
            await require_agents(project.preflight.logins, pinned, sandbox=sandbox)
            document = project.world.documents.encode(pinned).decode()
            powers = pinned_powers(document, sandbox=sandbox)
            keep_consent(project.preflight, powers, prepared.powers)
            kept[variant] = project.world.documents.save(pinned)
        components = definition.feature.components
        children = {it.id: kept[variant_of(it)] for it in components}
        children |= {name: kept[_of_look(name)] for name in self.looks}
        whole = replace(definition, children=children)
        return await submit(
            project, replace(prepared, definition=whole, sandbox=sandbox), queued=queued
        )


def variant_of(component: Component) -> Variant:
    """Tell what of a component's run is not as usual."""
    return component.workflow, component.role, component.cli


def _of_look(name: ComponentId) -> Variant:
    """Name what a run of supervisors pins as no component can: without any choice but its own."""
    return f"@{name}", None, None


def feature_settings(office: FeatureOffice, commit: CommitSha) -> FeatureSettings:
    """Return what the config says about features."""
    return cast("FeatureSettings", office.preflight.catalog.section(commit, "features"))


def prepare_feature(
    office: FeatureOffice, feature: Feature, request: FeatureRequest
) -> PreparedFeature:
    """Look up what building a feature needs, without changing anything."""
    preflight = office.preflight
    task = f"{feature.title}\n\n{feature.description}".strip()
    asked = checked(preflight, replace(request.about(task), budget=None))
    base = find_base(preflight, request.base)
    _require_same_projects(office, feature, base.sha)
    loaded = preflight.catalog.load(base.sha, workflow=None, cli=request.cli)
    looks = _looks(office, base.sha, request)
    variants = _variants(office, feature, base.sha, request)
    if looks:
        variants = {name: replace(it, hears_directives=True) for name, it in variants.items()}
    definition = _definition(office, feature, loaded.definition, base.sha, request)
    definition = replace(definition, workflow=workflow_of(feature, is_supervised=bool(looks)))
    named = {it.id: variants[variant_of(it)].workflow.name for it in feature.components}
    agents = {it.id: _agents(variants[variant_of(it)]) for it in feature.components}
    slots = replace(definition.slots, agents=agents)
    whole = replace(definition, child_workflows=named, child_driver=WORKFLOW, slots=slots)
    prepared = pin(preflight, asked, base, replace(loaded, definition=whole))
    prepared = replace(prepared, driver=NAME, permit=permit_of(feature.id))
    return PreparedFeature(prepared=prepared, variants=variants, looks=looks)


def _require_same_projects(office: FeatureOffice, feature: Feature, commit: CommitSha) -> None:
    """Refuse a plan over other projects than those that the base names and the user trusts."""
    known = office.projects(commit)
    strange = [it.name for it in feature.projects if it not in known]
    if strange:
        raise Conflict(
            f"The config of the base does not have the project {strange[0]!r} as it is now.",
            hint="Commit the config, or build from a commit that has it.",
        )


def _agents(definition: Definition) -> tuple[str, ...]:
    """Name the agents that the roles of a run begin with."""
    used = {name for step in definition.workflow.steps.values() for name in step.crew}
    return tuple(sorted({definition.roles[it].cli for it in used if it in definition.roles}))


def _definition(
    office: FeatureOffice,
    feature: Feature,
    usual: Definition,
    commit: CommitSha,
    request: FeatureRequest,
) -> FeatureDefinition:
    settings = feature_settings(office, commit)
    slots = settings.slots
    if request.max_parallel is not None:
        slots = replace(slots, max_parallel=request.max_parallel)
    fields = asdict(usual) | {"workflow": workflow_of(feature)}
    return FeatureDefinition(
        **fields,
        feature=feature,
        slots=slots,
        max_returns=settings.max_returns,
        speculation=settings.speculation,
        undeclared_files=settings.undeclared_files,
    )


def _looks(
    office: FeatureOffice, commit: CommitSha, request: FeatureRequest
) -> dict[ComponentId, Definition]:
    """Resolve what runs of quality supervisors pin, where the config lets them look."""
    catalog = office.preflight.catalog
    quality = catalog.section(commit, SECTION)
    if not isinstance(quality, Quality) or not quality.is_attached(NAME):
        return {}
    wanted = WantedLook(cli=request.cli)
    at_end = replace(wanted, moments=(LookMoment.MILESTONE,))
    return {
        name: catalog.resolve_for(_supervising(), commit, it).definition
        for name, it in ((WATCHED, wanted), (AT_END, at_end))
    }


def _supervising() -> str:
    """Name the slice that lets supervisors keep others company."""
    return next(name for name, it in registered_slices().items() if it.company is not None)


def _variants(
    office: FeatureOffice, feature: Feature, commit: CommitSha, request: FeatureRequest
) -> dict[Variant, Definition]:
    """Resolve what the runs of components pin, once for all that are alike."""
    budget = NOTHING if request.budget is None else parse_budget(request.budget)
    found: dict[Variant, Definition] = {}
    for component in feature.components:
        variant = workflow, role, cli = variant_of(component)
        if variant in found:
            continue
        loaded = office.preflight.catalog.load(
            commit,
            workflow=workflow,
            cli=cli or request.cli,
            roles={} if role is None else {"*": role},
        )
        # What it commits is looked at once it is merged.
        # Nobody watches a component's run: what it would ask about its baseline is noted.
        definition = replace(
            detached(loaded.definition),
            baseline=_noted(loaded.definition.baseline),
            read_only=locked_files(feature),
        )
        if budget.figures:
            least = budget.least(definition.budgets.get(Scope.FEATURE, NOTHING))
            definition = replace(definition, budgets={**definition.budgets, Scope.FEATURE: least})
        found[variant] = definition
    return found


def _noted(policy: BaselinePolicy) -> BaselinePolicy:
    return BaselinePolicy.NOTE if policy is BaselinePolicy.ASK else policy


def known_component(feature: Feature, name: str) -> ComponentId | None:
    """Find a component by its id, or as the plan calls it; `interfaces` are all of them."""
    if name == INTERFACES and feature.interfaces:
        return ComponentId(INTERFACES)
    for component_id, short in feature.short_names().items():
        if name in {component_id, short, short.partition(".")[2]}:
            return component_id
    return None
