"""The settings that hold: what the config files of package, user and project say together."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeVar, cast

from msgspec import Struct, field

from supervisor_ai.control.ports.trackers import TrackerCommand
from supervisor_ai.definitions.config.clis import ConfiguredCli, read_clis
from supervisor_ai.definitions.config.continuity import Continuity, read_continuity
from supervisor_ai.definitions.config.gates import ConfiguredGate, read_gates
from supervisor_ai.definitions.config.merged import Choice, MergedConfig, over
from supervisor_ai.definitions.config.models import ConfiguredModel, check_fallbacks, read_models
from supervisor_ai.definitions.config.notifications import Notifications, read_notifications
from supervisor_ai.definitions.config.people import OwnPeople, read_people
from supervisor_ai.definitions.config.policies import read_policies
from supervisor_ai.definitions.config.sandboxes import check_orphans, sandbox_of, workspace_of
from supervisor_ai.definitions.sources.files import PROJECT_DIRECTORY
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.domain.git_flow.policy import GitPolicy, MergeStrategy
from supervisor_ai.domain.run.definition import ForgeChoice, Limits, SandboxPolicy, WorkspacePolicy
from supervisor_ai.domain.run.policies import Policies
from supervisor_ai.domain.structs import replace

if TYPE_CHECKING:
    from supervisor_ai.definitions.config.merged import ConfigSection, Sections

T = TypeVar("T")
_TOKENS: Final = {"default_token_budget": "usual", "max_token_budget": "most"}


class TokenBudgets(Struct, frozen=True, kw_only=True):
    """How large a context is where nobody says so, and at most."""

    usual: int = 25_000
    most: int | None = None


class EffectiveSettings(Struct, frozen=True, kw_only=True):
    """Everything that the config files say together."""

    config: MergedConfig
    cli: Choice | None
    workflow: Choice | None
    clis: Mapping[str, ConfiguredCli]
    models: Mapping[str, ConfiguredModel]
    gates: Mapping[str, ConfiguredGate]
    limits: Limits
    sandbox: SandboxPolicy
    workspace: WorkspacePolicy
    git: GitPolicy
    fallback: tuple[Choice, ...]
    policies: Policies
    continuity: Continuity
    step_policies: Mapping[str, Choice]
    """The retry policies of steps that name none themselves."""
    tokens: TokenBudgets
    people: OwnPeople
    notifications: Notifications
    forge: ForgeChoice = ForgeChoice.AUTO
    trackers: Mapping[str, TrackerCommand] = field(default_factory=dict)
    sections: Mapping[str, object] = field(default_factory=dict)
    """What slices let people configure, by the keys of their sections."""

    def section(self, section: "ConfigSection[T]") -> T:
        """Return what holds in a section."""
        return cast("T", self.sections[section.key])


def read_settings(
    config: MergedConfig, sections: "Sections", mistakes: FileMistakes
) -> EffectiveSettings:
    """Make the settings of what the config files say, and note what cannot be."""
    check_orphans(config, mistakes)
    shape, models = config.shape, read_models(config, mistakes)
    check_fallbacks(models, mistakes)
    return EffectiveSettings(
        config=config,
        cli=config.choice("cli"),
        workflow=_workflow(config),
        clis=read_clis(config, models, mistakes),
        models=models,
        gates=read_gates({}, config.root.find("gates"), mistakes),
        limits=over(Limits(), shape.limits),
        sandbox=sandbox_of(shape.sandbox),
        workspace=workspace_of(shape.workspace),
        git=_git(config),
        fallback=config.choices("fallback"),
        policies=read_policies(config, mistakes),
        continuity=read_continuity(config),
        step_policies=_step_policies(config),
        tokens=over(TokenBudgets(), shape.limits, **_TOKENS),
        people=read_people(config, mistakes),
        notifications=read_notifications(config, mistakes),
        forge=ForgeChoice(shape.forge or ForgeChoice.AUTO),
        trackers=_trackers(config),
        sections={section.key: section.build(config) for section in sections},
    )


def _git(config: MergedConfig) -> GitPolicy:
    policy = over(GitPolicy(), config.shape.git)
    return replace(policy, merge_strategy=MergeStrategy(policy.merge_strategy))


def _trackers(config: MergedConfig) -> dict[str, TrackerCommand]:
    """Make the trackers, and remember which of them only the project names."""
    inside = f"{PROJECT_DIRECTORY}/"
    return {
        name: TrackerCommand(
            command=tuple(shape.command),
            url=shape.url,
            is_of_project=config.place("trackers", name, "command").file.startswith(inside),
        )
        for name, shape in config.shape.trackers.items()
    }


def _step_policies(config: MergedConfig) -> dict[str, Choice]:
    chosen = {name: config.choice("steps", name, "retry_policy") for name in config.shape.steps}
    return {name: choice for name, choice in chosen.items() if choice is not None}


def _workflow(config: MergedConfig) -> Choice | None:
    chosen = config.shape.workflow
    if chosen is None:
        return None
    path = ("workflow",) if chosen.is_plain else ("workflow", "template")
    return Choice(name=chosen.template, place=config.place(*path))
