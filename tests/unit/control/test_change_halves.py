"""A change taken apart before anybody runs a test."""

import asyncio
from typing import TYPE_CHECKING, cast

import pytest
from tests.unit.control.gate_place import Place

from supervisor_ai.cli.commands.definitions.change_halves import shown_halves
from supervisor_ai.control.commands.gates.change_halves import HalvesView, explain
from supervisor_ai.control.commands.gates.gate_check import CheckQuestion
from supervisor_ai.domain.errors import InvalidInput, Unavailable
from supervisor_ai.engine.ports.evidence import Half, HalfOf, Halves
from supervisor_ai.engine.ports.gates import Unexaminable

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

PRODUCT = HalfOf(path="a.py", half=Half.PRODUCT, why="nobody says otherwise")


def explained(place: Place, *, base: str | None = None, head: str | None = None) -> HalvesView:
    asked = CheckQuestion(gate="replay", base=base, head=head)
    return asyncio.run(explain(cast("OpenProject", place), asked))


def test_rules_are_the_bases_and_only_else_the_heads() -> None:
    place = Place(is_trusted=False)
    assert explained(place).note == f"{place.old[:12]}, the base"
    place.preflight.repository.configured = frozenset({place.new})
    assert explained(place).note.startswith(f"{place.new[:12]}, because the commit before it has")
    assert explained(place, base="old").note == f"{place.old[:12]}, the base"
    place.preflight.repository.configured = frozenset({place.new, place.old})
    assert explained(place).note == f"{place.old[:12]}, the base"
    assert (place.chosen, place.fakes.sandbox.specs) == ([], [])


def test_what_leaves_the_harness_alone_is_said_to() -> None:
    place = Place()
    place.fakes.evidence.parts = Halves(files=(PRODUCT,), touches_product=True)
    *_, last = shown_halves(explained(place))
    assert last == "The change leaves the harness as it is: the gate's own run is the replay."


def test_what_nobody_can_look_at_is_unavailable() -> None:
    place = Place()
    place.fakes.evidence.fault = Unexaminable("The change is too large.")
    with pytest.raises(Unavailable, match="The change is too large"):
        explained(place)


def test_the_first_commit_has_no_halves() -> None:
    with pytest.raises(InvalidInput, match="no commit before 'main~1'"):
        explained(Place(), head="old")
