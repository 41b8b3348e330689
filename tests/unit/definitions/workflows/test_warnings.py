"""Gates and reviews without a way back are allowed, but said."""

import pytest
from tests.unit.definitions.project_files import COMMIT
from tests.unit.definitions.workflows.flows import Flows

from supervisor_ai.control.queries.workflows import find_warnings, read_graph

FLOW = """\
steps:
  implement: {role: implementer, next: test}
  test: {gate: test, next: review}
  review: {role: reviewer, next: commit}
  commit: {type: commit}
"""


def test_a_gate_and_a_review_without_a_way_back(flows: Flows) -> None:
    outline = flows.catalog(flow=FLOW).outline(COMMIT, workflow="flow")
    assert find_warnings(outline, flows.load(flow=FLOW).loaded.definition) == [
        "Step 'test' has no 'on_fail': when the gate fails, the run ends.",
        "Step 'review' has no 'on_reject': when the review asks for changes, the run ends.",
    ]


@pytest.mark.parametrize(
    ("servers", "warned"), [("", True), ("mcp_servers: {desk: {command: [desk]}}\n", False)]
)
def test_a_tool_that_nobody_offers_is_said(flows: Flows, servers: str, *, warned: bool) -> None:
    flows.config += (
        "roles:\n  implementer:\n    allowed_tools: [read_file, run_backtest]\n"
        + "".join(f"    {line}\n" for line in servers.splitlines())
    )
    outline = flows.catalog(flow=FLOW).outline(COMMIT, workflow="flow")
    said = find_warnings(outline, flows.load(flow=FLOW).loaded.definition)
    told = (
        "Role 'implementer' is allowed 'run_backtest', which no agent has and no MCP server of the"
        " role offers."
    )
    assert (told in said) is warned


def test_a_workflow_is_drawn_also_where_it_cannot_be_run(flows: Flows) -> None:
    drawn = read_graph(flows.catalog(flow=FLOW), COMMIT, "flow")
    path = ("implement", "implement-guard", "test", "review", "commit")
    assert (drawn.path, drawn.problem) == (path, None)
    flows.config = ""
    drawn = read_graph(flows.catalog(), COMMIT, "open_source")
    assert drawn.problem is not None
    assert drawn.path[-1] == "await_review"
    assert read_graph(flows.catalog(), COMMIT, None).name == "standard"
