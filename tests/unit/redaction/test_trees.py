"""Structured data is redacted as the same data is as text."""

import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.trees import redact_tree
from supervisor_ai.langgraph.blobs import read_blob, write_blob

SECRET = "hunter2hunter2"
NAMES = st.sampled_from(
    ["password", "DB_PASSWORD", "api_key", "aws_secret_access_key", "Authorization", "note", "id"]
)
VALUES = st.sampled_from(
    [
        *(SECRET, "zebra", "0123456789abcdef0123", "Basic dXNlcjpodW50ZXIyMg==", "plain"),
        *("wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY", "$TOKEN", 42, None, True),
    ]
)
TREES = st.recursive(VALUES, lambda it: st.dictionaries(NAMES, it, max_size=3), max_leaves=6)


def redact(text: str) -> str:
    return RuleRedactor().redact(text).text


@given(TREES)
def test_a_tree_keeps_no_secret_that_is_taken_out_of_its_text(tree: object) -> None:
    text = json.dumps(redact_tree(tree, redact), indent=1)
    assert redact(text) == text
    assert json.loads(redact(json.dumps(tree, indent=1))) == json.loads(text)


def test_the_state_of_a_graph_is_kept_without_them() -> None:
    inner = msgspec.msgpack.encode({"password": SECRET})
    packed = msgspec.msgpack.encode({"password": SECRET, "it": msgspec.msgpack.Ext(5, inner)})
    _, kept = read_blob(write_blob(("msgpack", packed), redact))
    assert SECRET.encode() not in kept


def test_what_is_nested_too_deep_or_has_no_place_for_a_mark_is_withheld() -> None:
    deep: object = SECRET
    for _ in range(150):
        deep = [deep]
    assert SECRET not in json.dumps(redact_tree(deep, redact))
    assert redact_tree({"x": b"bytes"}, redact) == {"x": b"bytes"}

    def broken(text: str) -> str:
        return text.replace('"password"', "[REDACTED]")

    assert redact_tree({"password": 1}, broken) == {"password": "[REDACTED:withheld]"}


def test_the_name_of_a_value_counts() -> None:
    data = {
        "password": SECRET,
        "deep": [{"DB_PASSWORD": SECRET, "api_key": "0123456789abcdef0123"}],
        "headers": {"Authorization": "Basic dXNlcjpodW50ZXIyMg=="},
        "password_list": {"password": [SECRET]},
        "env": [{"name": "DB_PASSWORD", "value": SECRET}],
        "text": "kept",
    }
    told = json.dumps(redact_tree(data, redact))
    assert SECRET not in told
    assert "0123456789abcdef" not in told
    assert "dXNlcjpodW50" not in told
    assert '"text": "kept"' in told
