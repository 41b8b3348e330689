"""Starting to build a feature: what each component's run needs is looked up and pinned, too."""

from typing import cast

from msgspec import Struct
from msgspec.structs import asdict

from supervisor_ai.control.commands.run_start import (
    WORKFLOW,
    PreparedRun,
    StartRequest,
    checked,
    find_base,
    pin,
    submit,
)
from supervisor_ai.control.commands.sandbox_choice import choose_sandbox
from supervisor_ai.control.commands.trust import keep_consent
from supervisor_ai.control.preflight import require_agents
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.ids import ArtifactHash, CommitSha, RunId
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.gates import BaselinePolicy
from supervisor_ai.domain.run.spending.budget_words import parse_budget
from supervisor_ai.domain.run.spending.budgets import NOTHING, Scope
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plans import FeatureOffice
from supervisor_ai.drivers.feature.definition import (
    NAME,
    FeatureDefinition,
    expect_feature,
    permit_of,
    workflow_of,
)
from supervisor_ai.drivers.feature.plan.interfaces import locked_files
from supervisor_ai.drivers.feature.plan.model import Component, ComponentId, Feature
from supervisor_ai.drivers.feature.settings import FeatureSettings
from supervisor_ai.engine.pinned import pinned_powers

Variant = tuple[str | None, str | None, str | None]
"""The workflow, the role and the agent of a component."""


class FeatureRequest(Struct, frozen=True, kw_only=True):
    """How a feature is to be built."""

    base: str | None = None
    cli: str | None = None
    sandbox: str | None = None
    budget: str | None = None
    max_parallel: int | None = None
    is_fresh: bool = False

    def about(self, task: str) -> StartRequest:
        """Ask for a run with this task; its budget is that of the whole feature."""
        return StartRequest(
            task=task,
            cli=self.cli,
            base=self.base,
            sandbox=self.sandbox,
            is_fresh=self.is_fresh,
        )


class PreparedFeature(Struct, frozen=True, kw_only=True):
    """A run that could be submitted, and what the runs of its components would pin."""

    prepared: PreparedRun
    variants: dict[Variant, Definition]

    async def submit(self, project: OpenProject, prepared: PreparedRun, *, queued: bool) -> RunId:
        """Keep what components pin, then write the run's first fact."""
        definition = expect_feature(prepared.definition)
        needs_hard_limits = definition.sandbox.require_hard_limits
        sandbox = await choose_sandbox(
            project, prepared.sandbox, needs_hard_limits=needs_hard_limits
        )
        kept: dict[Variant, ArtifactHash] = {}
        for variant, pinned in self.variants.items():
            await require_agents(project.preflight.logins, pinned, sandbox=sandbox)
            document = project.world.documents.encode(pinned).decode()
            powers = pinned_powers(document, sandbox=sandbox)
            keep_consent(project.preflight, powers, prepared.powers)
            kept[variant] = project.world.documents.save(pinned)
        components = definition.feature.components
        whole = replace(definition, children={it.id: kept[variant_of(it)] for it in components})
        return await submit(
            project, replace(prepared, definition=whole, sandbox=sandbox), queued=queued
        )


def variant_of(component: Component) -> Variant:
    """Tell what of a component's run is not as usual."""
    return component.workflow, component.role, component.cli


def feature_settings(office: FeatureOffice, commit: CommitSha) -> FeatureSettings:
    """Return what the config says about features."""
    return cast("FeatureSettings", office.preflight.catalog.section(commit, "features"))


def prepare_feature(
    office: FeatureOffice, feature: Feature, request: FeatureRequest
) -> PreparedFeature:
    """Look up what building a feature needs, without changing anything."""
    preflight = office.preflight
    task = f"{feature.title}\n\n{feature.description}".strip()
    asked = checked(preflight, request.about(task))
    base = find_base(preflight, request.base)
    loaded = preflight.catalog.load(base.sha, workflow=None, cli=request.cli)
    variants = _variants(office, feature, base.sha, request)
    definition = _definition(office, feature, loaded.definition, base.sha, request)
    named = {it.id: variants[variant_of(it)].workflow.name for it in feature.components}
    whole = replace(definition, child_workflows=named, child_driver=WORKFLOW)
    prepared = pin(preflight, asked, base, replace(loaded, definition=whole))
    prepared = replace(prepared, driver=NAME, permit=permit_of(feature.id))
    return PreparedFeature(prepared=prepared, variants=variants)


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
        **fields, feature=feature, slots=slots, max_returns=settings.max_returns
    )


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
        # Nobody watches a component's run: what it would ask about its baseline is noted.
        definition = replace(
            loaded.definition,
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
    """Find a component by its id, or as the plan calls it."""
    for component_id, short in feature.short_names().items():
        if name in {component_id, short, short.partition(".")[2]}:
            return component_id
    return None
