"""Which agent works in a role: by the flag, the role, its model, or the default."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from supervisor_ai.control.slice_names import registered_answer
from supervisor_ai.definitions.config.clis import ConfiguredCli
from supervisor_ai.definitions.config.models import model_for
from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.roles.registry import MergedRole
from supervisor_ai.definitions.schema.cli_flags import no_clis
from supervisor_ai.definitions.sources.mistakes import FileMistakes, Note, suggestion, unknown
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.definition import Cli, Definition
from supervisor_ai.domain.structs import replace

_EXAMPLE: Final = """\
  cli: my_agent
  clis: {my_agent: {adapter: command, command: ["python3", "tools/agent.py"]}}"""


def cli_names(settings: EffectiveSettings, adapters: Collection[str]) -> list[str]:
    """List the agents: the configured ones, and adapters that need no configuration."""
    return sorted({*settings.clis, *(set(adapters) - no_clis())})


def is_cli(name: str, settings: EffectiveSettings, adapters: Collection[str]) -> bool:
    """Tell whether an agent is configured, or needs no configuration."""
    return name in settings.clis or (name not in no_clis() and name in adapters)


def usual_cli(role: MergedRole, settings: EffectiveSettings, missing: Collection[str] = ()) -> str:
    """Name the agent of a role: its own, that of its model, or the default.

    Where its own is not installed (`missing`), the others stand in for it.
    """
    own = role.chosen_cli.name if role.chosen_cli is not None else ""
    default = settings.cli.name if settings.cli is not None else ""
    if own and (_base(own) in settings.clis or _base(own) not in missing):
        return own
    answer = registered_answer(role.shape.answer)
    wanted = answer.model if answer is not None else None
    if wanted is not None and model_for(wanted, settings.models) is not None:
        hands = hands_of(wanted, settings) if answer and answer.needs_tools else wanted
        if hands is not None:
            return hands
    is_there = _base(default) in settings.clis or _base(default) not in missing
    return default if is_there or not own else own


def _base(name: str) -> str:
    return name.partition(":")[0]


def hands_of(model: str, settings: EffectiveSettings) -> str | None:
    """Name the agent with tools that works with a model of the user's; None: there is none."""
    found = (name for name, it in settings.clis.items() if it.has_tools and it.model == model)
    return next(found, None)


def check_choices(
    settings: EffectiveSettings,
    roles: Collection[MergedRole],
    adapters: Collection[str],
    mistakes: FileMistakes,
) -> None:
    """Note chosen names that lead nowhere."""
    following = (cli for role in roles for cli in role.fallback)
    chosen = (role.chosen_cli for role in roles)
    for cli in (settings.cli, *chosen, *settings.fallback, *following):
        if cli is None or cli.is_built_in:
            continue
        if not is_cli(_base(cli.name), settings, adapters):
            mistakes.add(cli.place, unknown("CLI", cli.name, cli_names(settings, adapters)))


class Agents(Struct, frozen=True, kw_only=True):
    """The agents that can be started on this machine."""

    settings: EffectiveSettings
    roles: Mapping[str, MergedRole]
    adapters: Collection[str]
    stale: str | None
    """What to do when the checkout configures other agents than the commit."""
    missing: Collection[str] = ()
    """Agents that are not installed."""
    fixed: Mapping[str, Cli] = field(default_factory=dict)
    """Those of the roles for which nobody chooses one."""

    @property
    def names(self) -> list[str]:
        """List the agents by name."""
        return cli_names(self.settings, self.adapters)

    def pick(self, role: str, *, flag: str | None) -> Cli:
        """Find the agent for a role."""
        if role in self.fixed:
            return self.fixed[role]
        name = flag or usual_cli(self.roles[role], self.settings, self.missing)
        found = self._find(name)
        if found is None:
            raise self._no_such(flag) if flag else self._none_chosen(role)
        return found

    def is_given(self, role: str) -> bool:
        """Tell whether somebody chose an agent for a role, or has the model that it takes."""
        merged = self.roles[role]
        answer = registered_answer(merged.shape.answer)
        wanted = answer.model if answer is not None else None
        has_model = wanted is not None and model_for(wanted, self.settings.models) is not None
        return has_model or merged.chosen_cli is not None

    def notes(self, definition: Definition) -> Iterator[Note]:
        """Name the roles whose own agent is not installed, and reviewers that are one agent."""
        for name, role in definition.roles.items():
            own = self.roles[name].chosen_cli if name in self.roles else None
            if own is not None and own.name != role.cli and _base(own.name) in self.missing:
                text = f"{own.name} is not installed; {role.cli} works as {name}"
                yield Note(place=own.place, text=text)
        for step in definition.workflow.steps.values():
            found = Counter(definition.roles[it].cli for it in step.crew)
            for cli in (cli for cli, count in found.items() if count > 1):
                crew = [it for it in step.crew if definition.roles[it].cli == cli]
                text = (
                    f"{' and '.join(crew)} are one agent with one model, {cli}, at the step "
                    f"{step.name!r}; give one of them another `cli:` under `roles:`"
                )
                yield Note(place=self.roles[crew[0]].place("cli"), text=text)

    def following(self, role: str, first: Cli) -> tuple[Cli, ...]:
        """Find the agents that go on for a role where its own cannot."""
        if role in self.fixed:
            return ()
        chosen = self.roles[role].fallback or self.settings.fallback
        found = (self._find(choice.name) for choice in chosen)
        return tuple(cli for cli in found if cli is not None and cli.name != first.name)

    def _find(self, name: str) -> Cli | None:
        base = _base(name)
        if base in self.settings.clis:
            return replace(self._usable(self.settings.clis[base]), name=name)
        is_known = is_cli(base, self.settings, self.adapters)
        return Cli(name=name, adapter=base) if is_known else None

    def _usable(self, configured: ConfiguredCli) -> Cli:
        cli, place = configured.cli, configured.place
        if cli.adapter in self.adapters:
            return cli
        available = ", ".join(sorted(self.adapters))
        raise InvalidInput(
            f"{place.text}: the adapter {cli.adapter!r} is not available in this version, "
            f"which has {available}.",
            hint="Configure the agent as a command that reads the prompt from its standard input: "
            f'{cli.name}: {{adapter: command, command: ["python3", "tools/agent.py"]}}',
        )

    def _no_such(self, name: str) -> NotFound:
        near = suggestion(name, self.names)
        meant = [f"Did you mean {near!r}?"] if near else []
        listed = [f"Configured: {', '.join(self.names)}."] if self.names else [self._how_to()]
        hint = " ".join((*meant, *([self.stale] if self.stale else listed)))
        return NotFound(f"CLI {name!r} was asked for, but it is not configured.", hint=hint)

    def _none_chosen(self, role: str) -> InvalidInput:
        message = f"No agent is chosen for the role {role!r}."
        if self.stale:
            return InvalidInput(message, hint=self.stale)
        if self.names:
            hint = f"Choose one with --cli or `cli:` in the config: {', '.join(self.names)}."
            return InvalidInput(message, hint=hint)
        return InvalidInput(message, hint=self._how_to())

    def _how_to(self) -> str:
        return f"Write these two lines into .supervisor/config.yaml and commit it:\n{_EXAMPLE}"
