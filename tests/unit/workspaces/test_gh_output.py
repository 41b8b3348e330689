"""What is read out of the answers of `gh`, and out of remotes' addresses."""

import json

import pytest

from supervisor_ai.workspaces.forges.gh_output import (
    FoundPullRequest,
    first_open,
    fork_owner,
    last_url,
    repository_at,
)

URL = "https://github.com/ada/project/pull/7"
HEAD = "a" * 40


def listed(**changes: object) -> str:
    plain = {"url": URL, "headRefOid": HEAD, "isCrossRepository": False}
    return json.dumps([{**plain, **changes}])


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("https://github.com/ada/project.git\n", "ada/project"),
        ("https://ada:token@github.example:8443/ada/project/", "ada/project"),
        ("ssh://git@github.com/ada/my.project.git", "ada/my.project"),
        ("git@github.com:ada/project.git", "ada/project"),
        ("github:ada/project", "ada/project"),
        ("/srv/git/project.git", None),
        ("file:///srv/git/project.git", None),
        ("../project", None),
        ("https://github.com/project.git", None),
        ("https://host/group/subgroup/project.git", None),
        ("", None),
    ],
)
def test_a_remote_on_a_host_has_an_owner(url: str, repository: str | None) -> None:
    assert repository_at(url) == repository


@pytest.mark.parametrize(
    ("answer", "owner"),
    [
        ('{"nameWithOwner": "upstream/project"}', "ada"),
        ('{"nameWithOwner": "Ada/Project"}', None),
        ('{"nameWithOwner": 7}', None),
        ("no JSON", None),
        ("[" * 100_000, None),
    ],
)
def test_a_fork_is_known_by_where_pull_requests_go(answer: str, owner: str | None) -> None:
    assert fork_owner("ada/project", answer) == owner


@pytest.mark.parametrize(
    ("answer", "fork", "is_found"),
    [
        (listed(), None, True),
        (listed(), "ada", False),
        (listed(isCrossRepository=True), None, False),
        (listed(isCrossRepository=True, headRepositoryOwner={"login": "Ada"}), "ada", True),
        (listed(isCrossRepository=True, headRepositoryOwner={"login": "eve"}), "ada", False),
        (listed(isCrossRepository=True, headRepositoryOwner=None), "ada", False),
        (listed(url="javascript:alert(1)"), None, False),
        (listed(url=f"{URL}\u001b[31m x"), None, False),
        (listed(headRefOid="--upload-pack=x"), None, False),
        (listed(headRefOid=7), None, False),
        ("[]", None, False),
        ("{}", None, False),
        ("[7]", None, False),
        ("", None, False),
    ],
)
def test_only_our_own_pull_request_is_found(
    answer: str, fork: str | None, *, is_found: bool
) -> None:
    assert (first_open(answer, fork) == FoundPullRequest(url=URL, head=HEAD)) == is_found  # type: ignore[arg-type]


def test_the_last_address_is_the_pull_request() -> None:
    assert last_url(f"see https://cli.github.com\n{URL}\n") == URL
    assert last_url("done") is None
