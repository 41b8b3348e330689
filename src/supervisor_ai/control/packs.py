"""Installing packs: planned, shown, agreed to, done."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.control.trusting import describe
from supervisor_ai.control.views import MutationView


class PackChange(Protocol):
    """A pack that comes, goes or becomes another version."""

    @property
    def name(self) -> str:
        """Return the pack's name."""
        ...

    @property
    def before(self) -> str | None:
        """Return the version that is there."""
        ...

    @property
    def after(self) -> str | None:
        """Return the version that comes."""
        ...

    @property
    def source(self) -> str:
        """Return where it comes from."""
        ...


class RolePrompt(Protocol):
    """What a pack tells the agents of one role."""

    @property
    def role(self) -> str:
        """Return the role's name."""
        ...

    @property
    def text(self) -> str:
        """Return the words."""
        ...


class Plan(Protocol):
    """What would change, and what the packs may do then."""

    @property
    def changes(self) -> Sequence[PackChange]:
        """List the packs that change."""
        ...

    @property
    def powers(self) -> Sequence[Power]:
        """List what the packs ask the user to trust."""
        ...

    @property
    def prompts(self) -> Sequence[RolePrompt]:
        """List what the packs tell agents."""
        ...


P = TypeVar("P", bound=Plan)
P_contra = TypeVar("P_contra", bound=Plan, contravariant=True)
S_co = TypeVar("S_co", covariant=True)


class Applier(Protocol[P_contra]):
    """Where packs are kept."""

    def apply(self, plan: P_contra) -> None:
        """Do what was planned."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPlace(Generic[S_co]):
    """A place for packs; the shop is open only as long as its sources are."""

    directory: Path
    is_user: bool
    open: Callable[[], AbstractContextManager[S_co]]


def describe_plan(plan: Plan) -> Iterator[str]:
    """Say what would change and what the packs may do, one line each."""
    for it in plan.changes:
        yield f"{it.name}: {it.before or 'not installed'} -> {it.after or 'removed'} ({it.source})"
    if any(it.after is not None for it in plan.changes):
        yield "These packs may:"
        yield from (f"  + {describe(power)}" for power in plan.powers)
        if not plan.powers:
            yield "  use no tools, hosts, servers or commands beyond those of the roles they extend"
        for prompt in plan.prompts:
            yield f"  tell {prompt.role}: {prompt.text}"


def carry_out(
    place: PackPlace[Applier[P]], shop: Applier[P], plan: P, *, dry_run: bool
) -> MutationView:
    """Do what was planned, and say what it was."""
    if plan.changes and not dry_run:
        shop.apply(plan)
    return MutationView(
        target=str(place.directory),
        applied=bool(plan.changes) and not dry_run,
        dry_run=dry_run,
        detail=_detail(plan),
    )


def _detail(plan: Plan) -> str:
    told = [f"{it.name} {it.before or 'new'} -> {it.after or 'gone'}" for it in plan.changes]
    return f"{', '.join(told)}." if told else "Everything is as you want it."
