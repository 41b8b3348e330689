"""For which agents the flags of roles are meant, and who works without them."""

from collections.abc import Iterator, Mapping

from supervisor_ai.definitions.config.settings import EffectiveSettings
from supervisor_ai.definitions.roles.registry import MergedRole
from supervisor_ai.definitions.schema.cli_flags import no_clis, passed_on
from supervisor_ai.definitions.sources.mistakes import FileMistakes, Note
from supervisor_ai.domain.run.definition import Definition


def home_adapter(role: MergedRole, settings: EffectiveSettings) -> str:
    """Name the adapter of the agent that the role's own files name: its flags are in its words.

    Where they name none, it is the default.
    """
    default = settings.cli.name if settings.cli is not None else ""
    base = (role.own_cli or default).partition(":")[0]
    configured = settings.clis.get(base)
    return base if configured is None else configured.cli.adapter


def check_flags(
    roles: Mapping[str, MergedRole], settings: EffectiveSettings, mistakes: FileMistakes
) -> None:
    """Note flags for an agent that is no CLI."""
    for role in roles.values():
        adapter = home_adapter(role, settings)
        if passed_on(role.shape.flags) and adapter in no_clis():
            problem = f"has no meaning: the agent {role.own_cli!r} has the adapter {adapter!r}"
            mistakes.add(role.place("flags"), f"{problem}; write them into its `command`")


def flag_notes(definition: Definition, roles: Mapping[str, MergedRole]) -> Iterator[Note]:
    """Name the flags that are not passed on, because another agent does the work."""
    for role in definition.roles.values():
        agents = [definition.clis[name] for name in (role.cli, *role.fallback)]
        others = [cli.name for cli in agents if role.flags and not role.flags_of(cli.adapter)]
        if others:
            text = f"{' '.join(role.flags)} is meant for {role.flags_for}; not passed on to "
            yield Note(place=roles[role.name].place("flags"), text=text + ", ".join(others))
