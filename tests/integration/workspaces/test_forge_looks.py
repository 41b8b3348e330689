"""Looks at pull requests: what a recorded `gh` says of checks, logs, reviews and comments."""

import asyncio
import sys
from pathlib import Path

import pytest
from tests.integration.workspaces.recorded_gh import install

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.forge import (
    CheckState,
    NotSeen,
    PullRequestState,
    PullRequestView,
)
from supervisor_ai.testing.scratch_repository import ScratchRepository
from supervisor_ai.workspaces.forges.github import GitHubForge
from supervisor_ai.workspaces.repositories.repository import GitRepository

URL = "https://github.com/ada/project/pull/7"
HEAD = CommitSha("c" * 40)


def look(
    place: Path, recording: str | None, *, ci: bool = True, reviews: bool = True, url: str = URL
) -> PullRequestView | NotSeen:
    user = ScratchRepository(place / "home")
    user.commit({"README": "hello\n"})
    forge = GitHubForge(
        GitRepository(user.path), {"PATH": f"{place / 'bin'}:/usr/bin:/bin", "HOME": str(place)}
    )
    if recording is None:
        return asyncio.run(forge.look(url, ci=ci, reviews=reviews))
    gh = install(place / "bin", recording, commit=HEAD)
    found = asyncio.run(forge.look(url, ci=ci, reviews=reviews))
    assert gh.is_at_its_end()
    return found


def seen(place: Path, recording: str, *, ci: bool = True, reviews: bool = True) -> PullRequestView:
    found = look(place, recording, ci=ci, reviews=reviews)
    assert isinstance(found, PullRequestView), found
    return found


def test_failed_checks_come_with_the_end_of_their_logs(tmp_path: Path) -> None:
    found = seen(tmp_path, "look_red")
    assert (found.state, found.head) == (PullRequestState.OPEN, HEAD)
    checks = {it.name: it for it in found.checks}
    assert {name: it.state for name, it in checks.items()} == dict.fromkeys(
        ("CI / unit", "CI / types", "deploy/preview"), CheckState.FAILED
    )
    assert "AssertionError: assert 'visit 1' == 'visit 2'" in checks["CI / unit"].log
    assert checks["CI / types"].log == "(no log: failed to get run log: log not found)"
    assert checks["deploy/preview"].log == ""


def test_only_people_of_the_repository_count_and_only_their_last_word(tmp_path: Path) -> None:
    found = seen(tmp_path, "look_red")
    told = [(it.key, it.author, it.counts, it.is_demand, it.file, it.line) for it in found.remarks]
    assert told == [
        ("PRR_1", "grace", True, True, None, None),
        ("PRR_2", "eve", False, True, None, None),
        ("c1001", "grace", True, False, "done.txt", 1),
        ("c1002", "eve", False, False, "done.txt", 1),
        ("IC_1", "grace", True, False, None, None),
        ("IC_2", "eve", False, False, None, None),
    ]
    assert found.open_demands == 1


def test_while_a_check_is_under_way_nothing_else_is_asked(tmp_path: Path) -> None:
    found = seen(tmp_path, "look_pending")
    assert [it.state for it in found.checks] == [CheckState.FAILED, CheckState.PENDING]
    assert [it.log for it in found.checks] == ["", ""]


@pytest.mark.parametrize(
    ("recording", "ci", "reviews"), [("look_reviews", False, True), ("look_ci", True, False)]
)
def test_only_what_is_followed_is_asked(
    tmp_path: Path, recording: str, *, ci: bool, reviews: bool
) -> None:
    found = seen(tmp_path, recording, ci=ci, reviews=reviews)
    assert found.state is PullRequestState.OPEN


@pytest.mark.parametrize("state", [PullRequestState.MERGED, PullRequestState.CLOSED])
def test_an_end_is_seen(tmp_path: Path, state: PullRequestState) -> None:
    assert seen(tmp_path, f"look_{state.value}").state is state


@pytest.mark.parametrize(
    ("recording", "reason", "is_passing"),
    [
        ("look_limited", "The forge asks `gh` to come back later", True),
        ("look_secondary", "The forge asks `gh` to come back later", True),
        ("look_comments_fail", "The forge asks `gh` to come back later", True),
        ("look_no_network", "The forge does not answer `gh`", True),
        ("look_broken", "The forge does not answer `gh`", True),
        ("look_logged_out", "`gh` is not logged in; run `gh auth login`.", False),
        ("look_gone", "`gh` does not find the pull request", False),
        ("look_odd", "`gh` could not read the pull request.", False),
        ("look_garbage", "What `gh` says about the pull request cannot be read.", False),
        ("look_wrong_head", "What `gh` says about the pull request cannot be read.", False),
        ("look_comments_garbage", "What `gh` says about the comments cannot be read.", False),
    ],
)
def test_what_cannot_be_seen_is_told(
    tmp_path: Path, recording: str, reason: str, *, is_passing: bool
) -> None:
    found = look(tmp_path, recording)
    assert isinstance(found, NotSeen)
    assert found.reason.startswith(reason)
    assert found.is_passing is is_passing


def test_without_gh_waiting_would_not_help(tmp_path: Path) -> None:
    found = look(tmp_path, None)
    assert isinstance(found, NotSeen)
    assert ("'gh' was not found" in found.reason, found.is_passing) == (True, False)


def test_an_address_of_something_else_is_not_asked_about(tmp_path: Path) -> None:
    found = look(tmp_path, None, url="https://example.com/--upload-pack=x")
    assert isinstance(found, NotSeen)
    assert "is no pull request on GitHub" in found.reason


def test_strange_entries_are_left_out(tmp_path: Path) -> None:
    found = seen(tmp_path, "look_strange")
    assert [(it.name, it.state) for it in found.checks] == [("c", CheckState.PENDING)]
    assert found.remarks == ()


def test_strange_comments_are_left_out(tmp_path: Path) -> None:
    found = seen(tmp_path, "look_strange_comments")
    (remark,) = found.remarks
    assert (remark.key, remark.author, remark.line, remark.counts) == ("c3", "somebody", None, True)


def long_answer(place: Path, *, comments: int) -> PullRequestView | NotSeen:
    """Look at a pull request with many of the longest comments that there can be."""
    user = ScratchRepository(place / "home")
    user.commit({"README": "hello\n"})
    (place / "bin").mkdir()
    program = place / "bin" / "gh"
    program.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        "said = {'id': 'IC_1', 'authorAssociation': 'NONE', 'body': 'x' * 65_536}\n"
        "told = {'id': 'IC_2', 'authorAssociation': 'OWNER', 'body': 'No.\\x1b[2J\\x00\\ud800'}\n"
        f"said = [told] + [said] * {comments}\n"
        "view = {'state': 'OPEN', 'headRefOid': 'c' * 40, 'comments': said}\n"
        "print('[]' if sys.argv[1] == 'api' else json.dumps(view))\n"
    )
    program.chmod(0o755)
    environment = {"PATH": f"{place / 'bin'}:/usr/bin:/bin", "HOME": str(place)}
    return asyncio.run(GitHubForge(GitRepository(user.path), environment).look(URL))


def test_strangers_cannot_talk_a_pull_request_to_death(tmp_path: Path) -> None:
    found = long_answer(tmp_path, comments=200)
    assert isinstance(found, PullRequestView)
    assert [it.key for it in found.remarks if it.counts] == ["IC_2"]


def test_an_answer_beyond_all_bounds_is_told(tmp_path: Path) -> None:
    found = long_answer(tmp_path, comments=300)
    assert isinstance(found, NotSeen)
    assert "cannot be read" in found.reason
