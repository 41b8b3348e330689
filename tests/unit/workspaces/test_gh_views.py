"""What `gh` says about a pull request is taken for what it is, whatever it looks like."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.engine.ports.forge import CheckState
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workspaces.forges.gh_output import first_open, home_of, is_pull_request, last_url
from supervisor_ai.workspaces.forges.gh_views import GhView, parse_comments, parse_view

HEAD = "c" * 40
KEYS = (
    *("id", "state", "body", "author", "authorAssociation", "login", "name", "status", "context"),
    *("conclusion", "startedAt", "detailsUrl", "viewerDidAuthor", "isMinimized", "path", "line"),
)
FIELDS = ("state", "headRefOid", "statusCheckRollup", "reviews", "comments")
WORDS = ("OPEN", "CHANGES_REQUESTED", "OWNER", "COMPLETED", "SUCCESS", "0001-01-01T00:00:00Z", "a")
LEAVES = st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS) | st.text(max_size=5)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=8)
    ),
    max_leaves=12,
)


def seen(**answer: Json) -> GhView:
    found = parse_view(json.dumps({"state": "OPEN", "headRefOid": HEAD, **answer}))
    assert found is not None
    return found


def run(name: str, status: str, started: str | None, conclusion: str = "") -> dict[str, Json]:
    return {"name": name, "status": status, "conclusion": conclusion, "startedAt": started}


@given(anything=st.dictionaries(st.sampled_from(FIELDS), ANYTHING))
def test_an_answer_of_any_shape_is_read_or_refused(anything: dict[str, Json]) -> None:
    parse_view(json.dumps(anything))
    parse_view(json.dumps({**anything, "state": "OPEN", "headRefOid": HEAD}))


@given(anything=ANYTHING)
def test_comments_of_any_shape_are_read_or_refused(anything: Json) -> None:
    parse_comments(json.dumps(anything))
    parse_comments(json.dumps([anything]))
    first_open(json.dumps([anything]), None)
    home_of(json.dumps(anything))


@pytest.mark.parametrize("answer", ["[" * 200_000, "1" * 10_000, "{", "", '{"state":"OPEN"', "NaN"])
def test_what_is_no_answer_is_refused(answer: str) -> None:
    assert parse_view(answer) is None
    assert parse_comments(answer) is None
    assert first_open(answer, None) is None


def test_nobody_is_hidden_behind_the_words_of_many_others() -> None:
    strangers: list[Json] = [
        {"id": f"R{it}", "author": {"login": f"eve{it}"}, "state": "APPROVED", "body": "x"}
        for it in range(2_000)
    ]
    grace: dict[str, Json] = {
        "id": "G",
        "author": {"login": "grace"},
        "authorAssociation": "MEMBER",
    }
    demand = {**grace, "state": "CHANGES_REQUESTED", "body": "No."}
    talk: list[Json] = [
        {"id": f"T{it}", "author": {"login": "eve"}, "body": "x"} for it in range(2_000)
    ]
    passed = [run(f"c{it}", "COMPLETED", None, "SUCCESS") for it in range(2_000)]
    found = seen(
        reviews=[*strangers, demand],
        comments=[*talk, {**grace, "body": "No."}],
        statusCheckRollup=[*passed, run("last", "COMPLETED", None, "FAILURE")],
    )
    assert [it.key for it in found.demands if it.counts] == ["G"]
    assert [it.key for it in found.talk if it.counts] == ["G"]
    assert [it.check.name for it in found.checks if it.check.state is CheckState.FAILED] == ["last"]


@pytest.mark.parametrize("started", [None, "", "0001-01-01T00:00:00Z", "2030-01-01T11:00:00Z"])
def test_a_check_that_is_queued_again_is_under_way(started: str | None) -> None:
    before = run("unit", "COMPLETED", "2030-01-01T10:00:00Z", "FAILURE")
    again = run("unit", "QUEUED", started)
    for order in ([before, again], [again, before]):
        (found,) = seen(statusCheckRollup=order).checks
        assert found.check.state is CheckState.PENDING


@pytest.mark.parametrize(
    ("url", "home", "is_one"),
    [
        ("https://github.com/ada/project/pull/7", None, True),
        ("https://github.com/Ada/Project/pull/7", "https://github.com/ada/project/", True),
        ("https://github.com/ada/project/pull/7", "https://github.com/eve/project", False),
        ("https://evil.example/ada/project/pull/7", "https://github.com/ada/project", False),
        ("https://github.com/ada/project/issues/7", None, False),
        ("https://github.com/ada/project/pull/new/ai/r1", None, False),
        ("https://gitlab.com/ada/project/-/merge_requests/7", None, False),
        ("https://github.com/--repo/project/pull/7", None, False),
        ("https://github.com/ada/project/pull/7\n--web", None, False),
    ],
)
def test_only_a_pull_request_of_the_repository_is_one(
    url: str, home: str | None, *, is_one: bool
) -> None:
    assert is_pull_request(url, home) is is_one


def test_the_address_of_another_pull_request_is_passed_over() -> None:
    home = "https://github.com/ada/project"
    said = f"see https://github.com/eve/project/pull/1\n{home}/pull/7\nhttps://example.org/docs\n"
    assert last_url(said, home) == f"{home}/pull/7"
    entry = {"url": "https://github.com/eve/x/pull/1", "headRefOid": HEAD}
    ours = {"isCrossRepository": False}
    assert first_open(json.dumps([{**entry, **ours}]), None, home) is None
