"""A feature drawn as a tree, as a graph, as Mermaid and as SVG."""

from xml.etree import ElementTree as ET

import pytest
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.cli.commands.feature.graphs import FORMS, layers
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.plan.model import (
    Interface,
    InterfaceKind,
    StartWhen,
)
from supervisor_ai.drivers.feature.plan.terms import ParallelLimits
from supervisor_ai.drivers.feature.queries.views import FeatureView, plan_view

HOSTILE = 'a <b> "c" \x1b[31m'


def view(start_when: StartWhen = StartWhen.PHASES_COMPLETED) -> FeatureView:
    plan = feature(
        [component(1, 1), component(1, 2, needs=[cid(1, 1)])],
        [component(2, 1)],
        start_when=start_when,
    )
    interface = Interface(name="User", kind=InterfaceKind.SQL, definition="x")
    first = replace(plan.phases[0], title=HOSTILE, interfaces=(interface,))
    named = replace(plan, title=HOSTILE, phases=(first, plan.phases[1]))
    return plan_view(named, ParallelLimits())


def test_layers_keep_what_waits_below_what_it_waits_for() -> None:
    found = [[it.id for it in layer] for layer in layers(view())]
    assert found == [[cid(1, 1)], [cid(1, 2)], [cid(2, 1)]]
    early = [[it.id for it in layer] for layer in layers(view(StartWhen.INTERFACES_LOCKED))]
    assert early == [[cid(1, 1), cid(2, 1)], [cid(1, 2)]]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_names_all_components_and_no_control_character(form: str) -> None:
    drawn = FORMS[form](view())
    for number in (cid(1, 1), cid(1, 2), cid(2, 1)):
        assert number in drawn
    assert "\x1b" not in drawn


def test_the_tree_says_why_something_waits_and_what_is_critical() -> None:
    drawn = FORMS["tree"](view())
    assert f"○ {cid(1, 1)}  *  pending: ready" in drawn
    assert f"pending: waits for {cid(1, 1)} (pending)" in drawn
    assert "◆ User (sql)  sql/User.sql" in drawn


def test_the_picture_is_sound_xml_and_needs_nothing_else() -> None:
    drawn = FORMS["svg"](view())
    root = ET.fromstring(drawn)  # noqa: S314 - our own
    assert root.tag.endswith("svg")
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")


def test_mermaid_has_an_arrow_for_each_dependency() -> None:
    drawn = FORMS["mermaid"](view())
    assert "c1 --> c2" in drawn
    assert "<b>" not in drawn
