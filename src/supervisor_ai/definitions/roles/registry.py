"""All roles, merged and checked."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from pydantic import ValidationError

from supervisor_ai.definitions.config.merged import Choice
from supervisor_ai.definitions.overlay.layers import Layer
from supervisor_ai.definitions.overlay.tables import ROLE
from supervisor_ai.definitions.overlay.tree import ValueNode, plain
from supervisor_ai.definitions.roles.files import RoleFile, RoleLevel, read_level
from supervisor_ai.definitions.roles.inheritance import Chain, Lineage
from supervisor_ai.definitions.roles.mcp_servers import unreachable
from supervisor_ai.definitions.roles.merge import (
    configured,
    merged,
    with_template_answer,
)
from supervisor_ai.definitions.roles.packs import Pack, pack_hint, read_packs
from supervisor_ai.definitions.roles.strategies import Strategies, plan_context, read_strategies
from supervisor_ai.definitions.schema.config import RoleShape
from supervisor_ai.definitions.sources.files import DefinitionSource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown
from supervisor_ai.definitions.sources.model_errors import findings
from supervisor_ai.domain.run.context_plan import ContextPlan


class MergedRole(Struct, frozen=True, kw_only=True):
    """A role, the files that it is made of, and where each value comes from."""

    name: str
    shape: RoleShape
    files: ValueNode
    """What its own files say."""
    tree: ValueNode
    """What they and the config say together."""
    chain: Chain

    @property
    def file(self) -> RoleFile:
        """Return the file that has the last word."""
        return self.chain[-1]

    @property
    def parent(self) -> str | None:
        """Name the role that it extends, itself not counted."""
        names = [file.name for file in self.chain if file.name != self.name]
        return names[-1] if names else None

    @property
    def own_cli(self) -> str:
        """Name the agent that its own files name."""
        cli = self.files.child("cli")
        return str(cli.value) if cli is not None else ""

    @property
    def chosen_cli(self) -> Choice | None:
        """Return the agent that the role names; None: it takes the default."""
        cli = self.tree.child("cli")
        if cli is None:
            return None
        is_built_in = cli.at.origin is Origin.BUILT_IN
        return Choice(name=str(cli.value), place=cli.at.place(), is_built_in=is_built_in)

    @property
    def fallback(self) -> tuple[Choice, ...]:
        """Return the agents that go on where its own cannot."""
        listed = self.tree.child("fallback")
        items = listed.items if listed is not None else ()
        return tuple(Choice(name=str(it.value), place=it.at.place()) for it in items)

    def server_place(self, name: str) -> FilePlace:
        """Find where the address of a server is written."""
        return self.tree.place("mcp_servers", name, "url")

    def place(self, *path: str | int) -> FilePlace:
        """Find where a value was said; what nobody said is missing in the last file."""
        found = self.tree.find(*path)
        return self.file.written.place(*path) if found is None else found.at.place()


class RoleRegistry(Struct, frozen=True, kw_only=True):
    """Everything about roles that the files say."""

    roles: Mapping[str, MergedRole]
    packs: tuple[Pack, ...]
    strategies: Strategies
    files: tuple[RoleFile, ...]
    """Every role file that was read."""
    hint: Callable[[str], str | None] = pack_hint
    """Says which pack has a role that there is not."""

    def context(self, name: str, usual: int) -> ContextPlan | None:
        """Return what a role is shown; `usual` is its budget where nobody says so."""
        context = self.roles[name].shape.context
        strategy = self.strategies.get(context.strategy or "")
        return plan_context(context, strategy.shape if strategy else None, usual)


def read_book(
    shelves: Sequence[DefinitionSource],
    layers: Sequence[Layer],
    templates: Sequence[str],
    mistakes: FileMistakes,
    config: ValueNode | None = None,
    hint: Callable[[str], str | None] = pack_hint,
) -> RoleRegistry:
    """Read the roles of all shelves and packs, and note every mistake in them.

    What the config says about a role is merged over its files.
    """
    packs = read_packs(layers, shelves, mistakes)
    places = list(_places(shelves, packs))
    levels = _levels(places, packs, mistakes)
    lineage = Lineage(levels=levels, mistakes=mistakes, hint=hint)
    made = [_merge(name, chain, config, mistakes) for name, chain in lineage.chains().items()]
    _check_kinds([role for role in made if role is not None], levels[0], mistakes)
    book = RoleRegistry(
        roles={role.name: role for role in made if role is not None},
        packs=packs,
        strategies=read_strategies(places, mistakes),
        files=tuple(file for level in levels for file in level.files.values()),
        hint=hint,
    )
    for role in book.roles.values():
        _check(role, book, templates, mistakes)
    return book


def _places(
    shelves: Sequence[DefinitionSource], packs: tuple[Pack, ...]
) -> Iterator[tuple[DefinitionSource, str]]:
    """Order where to look: a shelf's packs lie below its own files, but the package's above."""
    for shelf in shelves:
        among = [(shelf, pack.directory) for pack in packs if pack.written.shelf is shelf]
        is_package = shelf.origin is Origin.BUILT_IN
        yield from ((shelf, ""), *among) if is_package else (*among, (shelf, ""))


def _levels(
    places: Sequence[tuple[DefinitionSource, str]], packs: tuple[Pack, ...], mistakes: FileMistakes
) -> tuple[RoleLevel, ...]:
    read = {(id(pack.written.shelf), pack.directory): pack.level for pack in packs}
    return tuple(
        read[id(shelf), below] if below else read_level(shelf, mistakes) for shelf, below in places
    )


def _merge(
    name: str, chain: Chain, config: ValueNode | None, mistakes: FileMistakes
) -> MergedRole | None:
    files = with_template_answer(merged(chain))
    tree = configured(files, name, config)
    try:
        shape = RoleShape.model_validate(plain(tree, ROLE))
    except ValidationError as error:
        _note(chain, error, mistakes)
        return None
    return MergedRole(name=name, shape=shape, files=files, tree=tree, chain=chain)


def _note(chain: Chain, error: ValidationError, mistakes: FileMistakes) -> None:
    """Note what the files do not say together, unless a mistake in one of them explains it."""
    if any(mistakes.any_below(file.written.document.file) for file in chain):
        return
    last = chain[-1]
    for finding in findings(error, RoleShape):
        is_missing = finding.problem == "is missing" and len(chain) == 1
        advice = "; write it, or extend a role that has it" if is_missing else ""
        mistakes.add(last.written.place(*finding.path), f"{finding.problem}{advice}")


def _check_kinds(roles: Sequence[MergedRole], package: RoleLevel, mistakes: FileMistakes) -> None:
    """Note roles that became something else: workflows count on what the package's names mean."""
    own = Lineage(levels=[package], mistakes=FileMistakes(), hint=pack_hint).chains()
    for role in (role for role in roles if role.file.origin is not Origin.BUILT_IN):
        answer = merged(own[role.name]).child("answer") if role.name in own else None
        usual = None if answer is None else answer.value
        if usual not in {None, role.shape.answer}:
            problem = f"gives the answer {role.shape.answer!r} to a role whose answer is {usual!r}"
            key = "answer" if role.file.written.shape.answer else "extends"
            mistakes.add(role.file.written.place(key), f"{problem}; give it another name")


def _check(
    role: MergedRole, book: RoleRegistry, templates: Sequence[str], mistakes: FileMistakes
) -> None:
    shape = role.shape
    if shape.optional and shape.cannot_be_optional is not None:
        mistakes.add(role.place("optional"), shape.cannot_be_optional)
    if shape.answer == "review" and shape.writes:
        problem = "must be false for a role that reviews: what it changed would pass unseen"
        mistakes.add(role.place("writes"), problem)
    own = shape.of_slice
    if own is not None and own.must_write and not shape.writes:
        problem = f"must be true for a role that works on {own.works_on}"
        mistakes.add(role.place("writes"), f"{problem}: it writes into their files")
    strategy, known = shape.context.strategy, sorted(book.strategies)
    if strategy is not None and strategy not in known and not _is_damaged(strategy, mistakes):
        mistakes.add(role.place("context", "strategy"), unknown("strategy", strategy, known))
    for name, server in shape.mcp_servers.items():
        trouble = unreachable(server, shape)
        if trouble is not None:
            mistakes.add(role.server_place(name), trouble)
    if shape.template not in templates:
        mistakes.add(role.place("template"), unknown("template", shape.template, list(templates)))


def _is_damaged(strategy: str, mistakes: FileMistakes) -> bool:
    return any(file.endswith(f"strategies/{strategy}.yaml") for file in mistakes.files)
