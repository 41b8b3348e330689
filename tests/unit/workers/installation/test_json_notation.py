"""An entry of a JSON file as text: what is around it stays."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.workers.installation.json_notation import JSON
from supervisor_ai.workers.installation.notations import entry_in, with_entry, without_entry

KEYS: Final = ("mcpServers", "supervisor")
VALUE: Final = {"command": "supervisor", "args": ["mcp"]}
COMMENTED: Final = """\
{
    // Mine, not yours.
    "theme": "dark", /* like this */
    "mcpServers": {
        "other": {"command": "x", "url": "http://h//p",}, // keep
    },
}
"""


def put(text: str | None) -> str:
    return with_entry(JSON, "s.json", text, KEYS, VALUE)


def test_a_file_that_is_not_there_begins_with_the_entry() -> None:
    assert json.loads(put(None)) == {"mcpServers": {"supervisor": VALUE}}
    assert put("  \n") == put(None)
    assert put(None).endswith("}\n")


def test_comments_commas_and_indentation_stay() -> None:
    made = put(COMMENTED)
    added = """\
        "supervisor": {
            "command": "supervisor",
            "args": [
                "mcp"
            ]
        }
"""
    head, tail = COMMENTED.split("    },\n")
    assert made == f"{head}{added}    }},\n{tail}"
    left = without_entry(JSON, "s.json", made, KEYS)
    assert left == COMMENTED.replace("}, // keep", "} // keep")


def test_an_entry_of_the_same_name_is_replaced_where_it_is() -> None:
    text = '{\n  "mcpServers": {\n    "supervisor": {"a": 1},\n    "z": {}\n  }\n}\n'
    made = put(text)
    assert json.loads(made) == {"mcpServers": {"supervisor": VALUE, "z": {}}}
    assert list(json.loads(made)["mcpServers"]) == ["supervisor", "z"]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }\n",
        '{"a": 1}',
        '{"a": 1,}',
        '{"a": [1, 2,], "mcpServers": {}}',
        '{"mcpServers": {"other": {}}}',
        '{"mcpServers": {"other": {}}, "b": {}}\n',
        '{\r\n  "a": 1\r\n}\r\n',
        '{\n\t"a": {\n\t\t"b": "//"\n\t}\n}',
        '{\n  "a": 1 // last\n}\n',
    ],
)
def test_what_else_is_said_stays_and_comes_back(text: str) -> None:
    made = put(text)
    assert entry_in(JSON, "s.json", made, KEYS) == VALUE
    left = without_entry(JSON, "s.json", made, KEYS)
    said = JSON.read(text)
    if said.get("mcpServers") == {}:
        del said["mcpServers"]
    assert JSON.read(left) == said
    assert made.count("\r") in {0, made.count("\n")}


def test_an_entry_in_the_middle_goes_with_its_comma() -> None:
    text = '{\n  "mcpServers": {\n    "a": {},\n    "supervisor": {},\n    "z": {}\n  }\n}\n'
    left = without_entry(JSON, "s.json", text, KEYS)
    assert left == '{\n  "mcpServers": {\n    "a": {},\n    "z": {}\n  }\n}\n'
    assert without_entry(JSON, "s.json", left, KEYS) == left


@pytest.mark.parametrize(
    "text",
    ["[]", "nonsense", '{"a"}', '{"a": ', "{", '{"a": 1, "a": 2}', "{/", "[" * 100_000],
)
def test_what_cannot_be_read_is_left_alone(text: str) -> None:
    with pytest.raises(Conflict) as caught:
        put(text)
    assert "cannot be read as JSON" in caught.value.message
    assert caught.value.hint is not None


def test_a_table_that_is_none_is_left_alone_and_the_entry_is_offered() -> None:
    with pytest.raises(Conflict) as caught:
        put('{"mcpServers": [1]}')
    assert "by hand" in str(caught.value.hint)


words = st.text(alphabet='ab"\\/{}[],: \n/*é', max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(words, values, max_size=4),
    st.none() | st.dictionaries(words, values, max_size=3),
    st.sampled_from([None, 1, 2, "\t"]),
)
def test_any_object_takes_the_entry_and_gives_it_back(
    said: dict[str, object], servers: dict[str, object] | None, indent: int | str | None
) -> None:
    if servers is not None:
        said["mcpServers"] = servers
    made = put(json.dumps(said, indent=indent, ensure_ascii=False))
    assert json.loads(made) == {**said, "mcpServers": {**(servers or {}), "supervisor": VALUE}}
    left = without_entry(JSON, "s.json", made, KEYS)
    if not servers:
        said.pop("mcpServers", None)
    assert JSON.read(left) == said
