"""Errors of git push and `gh`, and what we say about them."""

import re
from collections.abc import Sequence
from typing import Final

from supervisor_ai.engine.ports.forge import NotOpened
from supervisor_ai.workspaces.forges.user_programs import Ended, ProgramEnding

Reasons = Sequence[tuple[tuple[str, ...], str]]
"""Phrases and the sentence for them; the first phrase that is found counts."""

_SHOWN: Final = 4000
_CREDENTIALS: Final = re.compile(r"://[^/\s@]{1,500}@")
_NOT_LOGGED_IN: Final = 4
UNREACHABLE: Final = (
    "error connecting to",
    "dial tcp",
    "Could not resolve host",
    "Failed to connect to",
    "Connection refused",
    "Connection timed out",
    "Network is unreachable",
    "no such host",
    "i/o timeout",
    "TLS handshake timeout",
)
_LOG_IN: Final = "`gh` is not logged in to GitHub; run `gh auth login`."

PUSH: Final[Reasons] = (
    (
        ("(fetch first)", "(non-fast-forward)", "(stale info)", "(already exists)"),
        "The remote's branch {branch!r} holds commits that this run does not have; "
        "nothing was overwritten.",
    ),
    (("[remote rejected]",), "The remote {remote!r} refuses the branch {branch!r}."),
    (
        (
            "Permission denied",
            "Authentication failed",
            "could not read Username",
            "could not read Password",
            "Host key verification failed",
        ),
        "Git could not log in to the remote {remote!r}; try `git push` yourself.",
    ),
    (UNREACHABLE, "The remote {remote!r} cannot be reached; look at the network."),
    (("",), "Git could not push the branch {branch!r} to the remote {remote!r}."),
)
GH: Final[Reasons] = (
    (
        ("none of the git remotes configured", "no git remotes found"),
        "No remote of this repository is on a GitHub host that `gh` knows; "
        "run `gh auth login` for the host, or add the remote.",
    ),
    (("gh auth login", "HTTP 401", "Bad credentials"), _LOG_IN),
    (UNREACHABLE, "GitHub cannot be reached; look at the network."),
    (
        ("Head sha can't be blank",),
        "GitHub does not find the branch {branch!r}, though it was pushed to the remote "
        "{remote!r}; `gh repo set-default` says where pull requests go.",
    ),
    (("No commits between",), "The branch {branch!r} has nothing that its target does not have."),
    (
        ("HTTP 403", "Resource not accessible", "must be a collaborator"),
        "You may not open pull requests there.",
    ),
    (("",), "`gh` could not open a pull request for {branch!r}."),
)
INSTALL: Final = {
    "gh": "The program 'gh' was not found; install it (https://cli.github.com) and run "
    "`gh auth login`.",
    "glab": "The program 'glab' was not found; install it (https://docs.gitlab.com/cli) and run "
    "`glab auth login`.",
    "git": "The program 'git' was not found.",
}


def not_opened(
    program: str, ended: Ended, reasons: Reasons, *, branch: str, remote: str
) -> NotOpened:
    """Say why there is no pull request."""
    return NotOpened(
        reason=_reason(program, ended, reasons).format(branch=branch, remote=remote),
        detail=without_credentials(ended.words),
    )


def without_credentials(words: str) -> str:
    """Leave the end of what a program said, without what opens a remote."""
    return _CREDENTIALS.sub("://…@", words)[-_SHOWN:]


def _reason(program: str, ended: Ended, reasons: Reasons) -> str:
    if ended.ending is ProgramEnding.MISSING:
        return INSTALL[program]
    if ended.ending is ProgramEnding.TIMED_OUT:
        return f"The program {program!r} did not end in time, so it was stopped."
    if program == "gh" and ended.code == _NOT_LOGGED_IN:
        return _LOG_IN
    return next(said for phrases, said in reasons if any(it in ended.words for it in phrases))
