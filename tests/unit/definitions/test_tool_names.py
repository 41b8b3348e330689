"""A tool that no agent knows is a mistake, wherever a role names it."""

import pytest
from pydantic import ValidationError

from supervisor_ai.definitions.schema.config import OverrideShape
from supervisor_ai.definitions.schema.roles import RoleFileShape
from supervisor_ai.definitions.schema.tool_names import TOOLS
from supervisor_ai.domain.run import definition

SHAPES = [RoleFileShape, OverrideShape]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("read_fil", "did you mean 'read_file'?"),
        ("read_fil", "web_search"),
        ("everything", "known: read_file, edit_file, write_file, run_command"),
        ("run_comand", "did you mean 'run_command'?"),
        ("webfetch", "did you mean 'web_fetch'?"),
        ("delete", "unknown tool 'delete'"),
        ("Bash", "'Bash' is the name of one CLI; write 'run_command'"),
        ("NotebookEdit", "write 'edit_file'"),
        ("", "unknown tool ''"),
    ],
)
def test_an_unknown_tool_is_refused(
    shape: type[RoleFileShape | OverrideShape], name: str, said: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        shape.model_validate({"allowed_tools": ["read_file", name]})
    assert said in str(refused.value)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_known_tool_is_taken(shape: type[RoleFileShape | OverrideShape]) -> None:
    assert shape.model_validate({"allowed_tools": list(TOOLS)}).allowed_tools == list(TOOLS)
    own = ["run_backtest_simulation", "mcp__notes"]
    assert shape.model_validate({"allowed_tools": own}).allowed_tools == own
    assert shape.model_validate({"allowed_tools": []}).allowed_tools == []


def test_the_names_are_those_of_the_domain() -> None:
    assert set(TOOLS) == definition.TOOLS
