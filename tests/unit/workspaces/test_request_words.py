"""What a pull request is called, where it is, and how it names the issue that it settles."""

import pytest

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.issues import IssueLink
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import PullRequest
from supervisor_ai.workspaces.forges.branch_pushes import RemotePlace, place_of
from supervisor_ai.workspaces.forges.forge_urls import ForgeUrl, parse_forge_url
from supervisor_ai.workspaces.forges.request_words import linked, title_of

REQUEST = PullRequest(
    branch="b",
    commit=CommitSha("c"),
    target=None,
    title=" one\ntwo ",
    body="Why\n\nSupervisor-Run: r1\n",
)


def link(tracker: str, reference: str, url: str = "") -> IssueLink:
    return IssueLink(tracker=tracker, reference=reference, url=url)


@pytest.mark.parametrize(
    ("issue", "forge", "words"),
    [
        (link("github", "#12"), "github", "Closes #12"),
        (link("gitlab", "a/b#12"), "gitlab", "Closes a/b#12"),
        (link("github", "#12"), "gitlab", "Issue: #12"),
        (
            link("jira", "S-1", "https://j.example/S-1"),
            "github",
            "Issue: S-1 https://j.example/S-1",
        ),
    ],
)
def test_the_issue_is_linked_in_the_forges_own_form(
    issue: IssueLink, forge: str, words: str
) -> None:
    request = replace(REQUEST, issue=issue)
    assert linked(request, forge) == f"Why\n\n{words}\n\nSupervisor-Run: r1\n"
    assert linked(replace(request, body="Why"), forge) == f"Why\n\n{words}\n"
    assert linked(REQUEST, forge) == REQUEST.body


def test_a_title_is_one_line() -> None:
    assert title_of(REQUEST, 5) == "one t"
    assert title_of(replace(REQUEST, title="\n"), 5) == "b"


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("git@gitlab.com:a/b/c.git", ("gitlab.com", "a/b/c")),
        ("ssh://git@Git.example:2222/a/b", ("git.example", "a/b")),
        ("https://me:pw@host/a/b.git/", ("host", "a/b")),
        ("/srv/git/a.git", None),
        ("file:///srv/git/a.git", None),
        ("../a", None),
    ],
)
def test_a_remote_is_taken_apart(url: str, place: tuple[str, str] | None) -> None:
    found = place_of(url)
    assert found == (None if place is None else RemotePlace(host=place[0], path=place[1]))


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://github.com/a/b/pull/7", ("github.com", "a/b", "7", False, False)),
        ("https://ghe.example:8443/a/b/issues/7#c", ("ghe.example:8443", "a/b", "7", False, True)),
        ("https://gitlab.com/a/b/c/-/merge_requests/7", ("gitlab.com", "a/b/c", "7", True, False)),
        ("https://gitlab.com/a/b/-/issues/7?x=1", ("gitlab.com", "a/b", "7", True, True)),
        ("https://gitlab.com/a/b/-/work_items/7", ("gitlab.com", "a/b", "7", True, True)),
        ("http://github.com/a/b/pull/7", None),
        ("https://github.com/a/-b/pull/7", None),
        ("https://github.com/a/b/pull/07", None),
        ("https://github.com/a/b/pull/7/files", None),
    ],
)
def test_an_address_is_taken_apart(
    url: str, found: tuple[str, str, str, bool, bool] | None
) -> None:
    parsed = parse_forge_url(url)
    if found is None:
        assert parsed is None
        return
    host, path, number, is_gitlab, is_issue = found
    assert parsed == ForgeUrl(
        host=host, path=path, number=number, is_gitlab=is_gitlab, is_issue=is_issue
    )
