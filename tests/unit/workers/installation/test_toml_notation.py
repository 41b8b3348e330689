"""An entry of a TOML file as text: comments and other tables stay."""

import tomllib
from typing import Final

import pytest

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.workers.installation.notations import entry_in, with_entry, without_entry
from supervisor_ai.workers.installation.toml_notation import TOML

KEYS: Final = ("mcp_servers", "supervisor")
VALUE: Final = {"command": "super visor", "args": ["mcp", 'a"b']}
MINE: Final = """\
# My settings.
model = "m"  # the good one

[mcp_servers.other]
command = "x"
args = '''
[mcp_servers.supervisor]
'''
"""


def put(text: str | None) -> str:
    return with_entry(TOML, "c.toml", text, KEYS, VALUE)


def test_the_table_comes_last_and_nothing_else_changes() -> None:
    text = '# Mine.\nmodel = "m"  # good\n\n[a]\nb = 1\n'
    made = put(text)
    block = '[mcp_servers.supervisor]\ncommand = "super visor"\nargs = ["mcp", "a\\"b"]\n'
    assert made == f"{text}\n{block}"
    assert without_entry(TOML, "c.toml", made, KEYS) == text
    assert put(None) == block
    assert tomllib.loads(put("a = 1")) == {"a": 1, "mcp_servers": {"supervisor": VALUE}}


def test_tables_and_comments_that_were_added_since_stay() -> None:
    made = put('model = "m"\n')
    added = f"{made}\n# Theirs.\n[projects.'/p']\ntrust_level = \"trusted\"\n"
    left = without_entry(TOML, "c.toml", added, KEYS)
    assert left == 'model = "m"\n\n# Theirs.\n[projects.\'/p\']\ntrust_level = "trusted"\n'
    assert entry_in(TOML, "c.toml", left, KEYS) is None


def test_a_table_of_the_same_name_is_replaced_with_those_inside_it() -> None:
    own = '[ mcp_servers . "supervisor" ]\ncommand = "old"\n[mcp_servers.supervisor.env]\nA = "1"\n'
    text = f"{own}[z]\n"
    assert tomllib.loads(put(text)) == {"z": {}, "mcp_servers": {"supervisor": VALUE}}


def test_lines_end_as_they_do() -> None:
    made = put('a = "1"\r\n')
    assert made.count("\r\n") == made.count("\n")
    assert without_entry(TOML, "c.toml", made, KEYS) == 'a = "1"\r\n'


def test_texts_within_a_text_are_written() -> None:
    made = with_entry(TOML, "c.toml", "", KEYS, {"env": {"A": "1"}, "on": True})
    assert tomllib.loads(made)["mcp_servers"]["supervisor"] == {"env": {"A": "1"}, "on": True}


@pytest.mark.parametrize(
    "text",
    ["mcp_servers = { other = { command = 'x' } }\n", MINE, "mcp_servers = 1\n"],
)
def test_a_way_of_writing_that_cannot_be_added_to_is_left_alone(text: str) -> None:
    with pytest.raises(Conflict) as caught:
        put(text)
    assert "[mcp_servers.supervisor]" in str(caught.value.hint)


def test_what_is_no_toml_is_left_alone() -> None:
    with pytest.raises(Conflict, match="cannot be read as TOML"):
        put("= nonsense")
