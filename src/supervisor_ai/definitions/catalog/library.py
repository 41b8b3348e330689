"""Everything that the package, the user and the project define, read and checked together."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.definitions.config.approvals.policy import check_names as check_approval_names
from supervisor_ai.definitions.config.continuity import check_continuity
from supervisor_ai.definitions.config.contradictions import check_agreement
from supervisor_ai.definitions.config.gate_order import check_circles, check_gates
from supervisor_ai.definitions.config.merged import (
    MergedConfig,
    Sections,
    config_model,
    merge_configs,
)
from supervisor_ai.definitions.config.settings import EffectiveSettings, read_settings
from supervisor_ai.definitions.config.slice_sections import slice_sections
from supervisor_ai.definitions.consent.powers import (
    approval_powers,
    project_powers,
    publishing_powers,
)
from supervisor_ai.definitions.consent.role_powers import role_powers
from supervisor_ai.definitions.consent.worktree_include import include_powers, read_include
from supervisor_ai.definitions.overlay.layers import (
    CONFIG_FILE,
    Layer,
    WrittenFile,
    read_layer,
)
from supervisor_ai.definitions.packs.lock import check_lock, installed_hint
from supervisor_ai.definitions.roles.agents import check_choices
from supervisor_ai.definitions.roles.cli_flags import check_flags
from supervisor_ai.definitions.roles.prompt_files import read_prompts, template_names
from supervisor_ai.definitions.roles.registry import RoleRegistry, read_book
from supervisor_ai.definitions.roles.unread_files import check_links, check_policy_name, file_notes
from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.definitions.schema.section_files import SECTION_FILES
from supervisor_ai.definitions.schema.workflows import WorkflowShape, is_hidden
from supervisor_ai.definitions.sources.files import DefinitionSource
from supervisor_ai.definitions.sources.mistakes import FileMistakes, Note, unknown
from supervisor_ai.definitions.step_checks.role_gates import gaps
from supervisor_ai.definitions.step_checks.steps import Surroundings
from supervisor_ai.definitions.step_checks.workflow import ReadWorkflow, read_workflow
from supervisor_ai.definitions.templates.composition import with_compositions
from supervisor_ai.domain.structs import replace


class Shelves(Struct, frozen=True, kw_only=True):
    """The three places where definitions stand; a later one wins over an earlier one."""

    builtin: DefinitionSource
    user: DefinitionSource
    project: DefinitionSource
    checkout: DefinitionSource | None = None
    """Where packs may be installed that no commit holds; nothing else of it is read."""

    def pack_hint(self, role: str) -> str | None:
        """Say which pack has a role that there is not."""
        places = (self.user, self.project, self.checkout)
        return installed_hint(role, [it for it in places if it is not None])


class Library(Struct, frozen=True, kw_only=True):
    """All definitions, as far as they are without mistakes."""

    settings: EffectiveSettings
    roles: dict[str, RoleShape]
    book: RoleRegistry
    prompts: Mapping[str, str]
    """The texts of the prompt templates."""
    workflows: dict[str, ReadWorkflow]
    powers: tuple[Power, ...]
    include: tuple[str, ...]
    """The patterns of ignored files that the project wants in its workspaces."""
    notes: tuple[Note, ...]
    """The files that nobody reads."""


def read_library(
    shelves: Shelves,
    adapters: Collection[str],
    mistakes: FileMistakes,
    sections: Sections | None = None,
) -> Library:
    """Read all files of all shelves and note every mistake in them."""
    sections = slice_sections() if sections is None else sections
    in_order = (shelves.builtin, shelves.user, shelves.project)
    for shelf in (shelves.user, shelves.project):
        check_lock(shelf, mistakes)
        check_links(shelf, mistakes)
        check_policy_name(shelf, mistakes)
    model, prompts = config_model(sections), read_prompts(in_order, mistakes)
    layers = [read_layer(shelf, mistakes, model) for shelf in in_order]
    config = merge_configs(layers, sections, mistakes)
    names = template_names(prompts)
    book = read_book(in_order, layers, names, mistakes, config.root, shelves.pack_hint)
    roles = {name: role.shape for name, role in book.roles.items()}
    configs = {shelf.label(file) for shelf in in_order for file in (CONFIG_FILE, *SECTION_FILES)}
    twice = [note for layer in layers for note in check_agreement(layer.configs, mistakes)]
    # Where a config has mistakes, a name may be unknown only because of them.
    are_names_known = not configs & mistakes.files
    settings = read_settings(config, sections, mistakes)
    _check_role_names(config, roles, mistakes)
    check_continuity(settings.continuity, roles, mistakes)
    check_gates(settings.gates, settings.gates, mistakes, are_gates_known=are_names_known)
    check_circles(settings.gates, mistakes)
    if are_names_known:
        check_approval_names(config, settings.notifications, settings.people.people, mistakes)
        check_choices(settings, book.roles.values(), adapters, mistakes)
        check_flags(book.roles, settings, mistakes)
        for check in (section.check for section in sections if section.check is not None):
            check(settings, mistakes)
    workflows = _read_workflows(
        with_compositions(layers), settings, book, mistakes, are_gates_known=are_names_known
    )
    _check_default(settings, layers, mistakes)
    _check_step_policies(settings, workflows, mistakes)
    include = read_include(shelves.project, mistakes)
    return Library(
        settings=settings,
        roles=roles,
        book=book,
        prompts=prompts,
        workflows=workflows,
        powers=(
            *project_powers(layers[-1]),
            *_approval_powers(layers, sections, config),
            *publishing_powers(workflows, settings.workflow),
            *role_powers(book),
            *include_powers(include),
        ),
        include=tuple(line.pattern for line in include),
        notes=(*twice, *_file_notes(in_order[1:], layers[1:], sections)),
    )


def _approval_powers(
    layers: list[Layer], sections: Sections, config: MergedConfig
) -> tuple[Power, ...]:
    """Compare what is asked for in the project with what would be without it."""
    without = layers[:-1]
    if all(it.shape.approval_gates is None for layer in without for it in layer.configs):
        return ()
    return approval_powers(merge_configs(without, sections, FileMistakes()), config)


def _read_workflows(
    layers: list[Layer],
    settings: EffectiveSettings,
    book: RoleRegistry,
    mistakes: FileMistakes,
    *,
    are_gates_known: bool,
) -> dict[str, ReadWorkflow]:
    workflows: dict[str, ReadWorkflow] = {}
    for name, written in _workflows(layers):
        around = Surroundings(
            workflow=written,
            settings=settings,
            roles={name: role.shape for name, role in book.roles.items()},
            mistakes=mistakes,
            are_gates_known=are_gates_known,
            layers=layers,
            role_hint=book.hint,
        )
        read = read_workflow(name, around)
        if read is not None:
            workflows[name] = _with_role_gaps(read, book, around)
    return workflows


def _file_notes(
    shelves: Iterable[DefinitionSource], layers: Iterable[Layer], sections: Sections
) -> tuple[Note, ...]:
    pairs = zip(shelves, layers, strict=True)
    folders = frozenset(it.folder for it in sections if it.folder is not None)
    return tuple(note for shelf, layer in pairs for note in file_notes(shelf, layer, folders))


def _with_role_gaps(read: ReadWorkflow, book: RoleRegistry, around: Surroundings) -> ReadWorkflow:
    """Add what the gates of the roles lack, where that can be told."""
    if not around.are_gates_known:
        return read
    settings = replace(around.settings, gates=dict(read.particulars.gates))
    return replace(read, role_gaps=gaps(read.workflow, book.roles, settings, around.mistakes))


def _workflows(layers: list[Layer]) -> Iterator[tuple[str, WrittenFile[WorkflowShape]]]:
    for layer in layers:
        yield from ((name, it) for name, it in layer.workflows.items() if not is_hidden(name))


def _check_default(
    settings: EffectiveSettings, layers: list[Layer], mistakes: FileMistakes
) -> None:
    known = sorted({name for layer in layers for name in layer.names if not is_hidden(name)})
    if settings.workflow is not None and settings.workflow.name not in known:
        problem = unknown("workflow", settings.workflow.name, known)
        mistakes.add(settings.workflow.place, problem)


def _check_step_policies(
    settings: EffectiveSettings, workflows: Mapping[str, ReadWorkflow], mistakes: FileMistakes
) -> None:
    policies = sorted(settings.policies.retries)
    steps = sorted({name for read in workflows.values() for name in read.workflow.steps})
    for name, choice in settings.step_policies.items():
        if choice.name not in policies:
            mistakes.add(choice.place, unknown("retry policy", choice.name, policies))
        if name not in steps and not mistakes:
            mistakes.add(choice.place, unknown("step", name, steps))


def _check_role_names(
    config: MergedConfig, roles: Mapping[str, RoleShape], mistakes: FileMistakes
) -> None:
    for name in config.shape.roles:
        if name not in roles:
            place = config.place("roles", name)
            mistakes.add(place, unknown("role", name, sorted(roles)))
