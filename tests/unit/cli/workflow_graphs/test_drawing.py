"""A workflow drawn as text, Mermaid and SVG, whatever its steps are called."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from inline_snapshot import snapshot

from supervisor_ai.cli.commands.definitions.workflow_graphs.mermaid import draw_mermaid
from supervisor_ai.cli.commands.definitions.workflow_graphs.svg import draw_svg
from supervisor_ai.cli.commands.definitions.workflow_graphs.text import draw_text
from supervisor_ai.control.queries.workflows import WorkflowGraph, graph_of
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.definition import Step, StepKind, StepWord, Workflow
from supervisor_ai.domain.run.gates import Complexity


def step(name: str, kind: StepWord = StepKind.ROLE, **arrows: str) -> Step:
    targets = {key: StepName(target) for key, target in arrows.items()}
    return Step(
        name=StepName(name),
        kind=kind,
        role="worker" if kind == StepKind.ROLE else None,
        next=targets.get("next"),
        on_fail=targets.get("on_fail"),
        on_reject=targets.get("on_reject"),
    )


def graph(*steps: Step, description: str = "A flow") -> WorkflowGraph:
    by_name = {it.name: it for it in steps}
    flow = Workflow(name="flow", description=description, initial_step=steps[0].name, steps=by_name)
    return graph_of(flow)


@pytest.fixture
def careful() -> WorkflowGraph:
    review = Step(
        name=StepName("review"),
        kind=StepKind.ROLE,
        roles=("one", "two", "three"),
        needed=2,
        human_approval=True,
        next=StepName("commit"),
        on_reject=StepName("work"),
    )
    return graph(
        step("work", next="test"),
        step("test", StepKind.GATE, next="review", on_fail="mend"),
        review,
        Step(name=StepName("commit"), kind=StepKind.COMMIT, human_approval=True, terminal=True),
        step("mend", next="test"),
    )


def test_text(careful: WorkflowGraph) -> None:
    assert draw_text(careful) == snapshot("""\
flow: A flow

  ● work    worker
  ○ test    gate
  │   failed → mend
  ○ review  one, two, three (2 of 3 must agree), then a person
  │   rejected → work
  ■ commit  a person, then commit

  Only after a setback:
  ○ mend    worker
  │   then → test\
""")


def test_mermaid(careful: WorkflowGraph) -> None:
    assert draw_mermaid(careful) == snapshot("""\
flowchart TD
  s1["work<br/>worker"]
  s2{{"test<br/>gate"}}
  s3["review<br/>one, two, three (2 of 3 must agree), then a person"]
  s4[["commit<br/>a person, then commit"]]
  s5["mend<br/>worker"]
  s1 --> s2
  s2 --> s3
  s2 -. failed .-> s5
  s3 --> s4
  s3 -. rejected .-> s1
  s5 --> s2\
""")


def test_text_fits_80_columns() -> None:
    long = "x" * 64
    drawn = draw_text(graph(step(long, on_reject=long), description="word " * 40))
    assert all(len(line) <= 80 for line in drawn.splitlines())


def test_svg_is_well_formed_and_has_every_step_and_arrow(careful: WorkflowGraph) -> None:
    text = draw_svg(careful)
    root = ET.fromstring(text)  # noqa: S314 - our own output
    space = {"s": "http://www.w3.org/2000/svg"}
    assert len(root.findall("s:g", space)) == 5
    assert len(root.findall("s:path", space)) == len(careful.arrows) == 6
    assert "prefers-color-scheme: dark" in text
    assert len(root.findall("s:path[@class='on_fail']", space)) == 1


def test_svg_boxes_do_not_overlap(careful: WorkflowGraph) -> None:
    root = ET.fromstring(draw_svg(careful))  # noqa: S314 - our own output
    tops = [int(it.attrib["y"]) for it in root.iter("{http://www.w3.org/2000/svg}rect")]
    tops.sort()
    assert all(below - above > 48 for above, below in pairwise(tops))


HOSTILE = graph(
    Step(
        name=StepName("a"),
        kind=StepKind.ROLE,
        role='"]<script>alert(1)</script>\x1b[31m--> end#quot;',
        terminal=True,
    )
)


def test_names_cannot_pose_as_markup() -> None:
    svg, mermaid, text = draw_svg(HOSTILE), draw_mermaid(HOSTILE), draw_text(HOSTILE)
    ET.fromstring(svg)  # noqa: S314 - our own output
    assert "<script>" not in svg + mermaid
    assert mermaid.splitlines()[1].count('"') == 2
    assert not any("\x1b" in drawn for drawn in (svg, mermaid, text))


def test_several_gates_a_chosen_crew_and_a_pull_request() -> None:
    drawn = graph(
        Step(
            name=StepName("guard"),
            kind=StepKind.GATE,
            gates=("guard/claims", "guard/test_integrity"),
            next=StepName("review"),
        ),
        Step(
            name=StepName("review"),
            kind=StepKind.ROLE,
            roles=("one", "two"),
            approvers={Complexity.SIMPLE: ("one",)},
            next=StepName("offer"),
        ),
        Step(name=StepName("offer"), kind=StepKind.PULL_REQUEST, terminal=True),
    )
    assert [node.does for node in drawn.nodes] == [
        "gates claims, test_integrity",
        "one, two (as many as the change needs)",
        "pull request",
    ]
    assert 's3[["offer<br/>pull request"]]' in draw_mermaid(drawn)
    assert '<g class="pull_request">' in draw_svg(drawn)
