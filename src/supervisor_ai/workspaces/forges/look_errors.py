"""Why nobody could see how a pull request or an issue stands, and whether waiting helps."""

from typing import Final

from supervisor_ai.engine.ports.forge import NotSeen
from supervisor_ai.workspaces.forges.gh_errors import INSTALL, UNREACHABLE, without_credentials
from supervisor_ai.workspaces.forges.user_programs import Ended, ProgramEnding

_NOT_LOGGED_IN: Final = 4
_BUSY: Final = ("rate limit", "HTTP 429", "429 Too Many Requests", "abuse detection")
_BROKEN: Final = ("HTTP 500", "HTTP 502", "HTTP 503", "HTTP 504", "502 Bad Gateway", "503 Service")
_LOGGED_OUT: Final = ("auth login", "HTTP 401", "401 Unauthorized", "Bad credentials")
_NOWHERE: Final = ("Could not resolve to", "HTTP 404", "404 Not Found", "404 {")


def not_seen(program: str, ended: Ended, what: str, *, deed: str = "read") -> NotSeen:
    """Say why a look failed, or another deed."""
    reason, is_passing = _reason(program, ended, what)
    reason = reason or f"`{program}` could not {deed} {what}."
    detail = without_credentials(ended.words)
    return NotSeen(reason=reason, detail=detail, is_passing=is_passing)


def not_read(program: str, what: str) -> NotSeen:
    """Say that a program answered in a way that nobody understands."""
    return NotSeen(reason=f"What `{program}` says about {what} cannot be read.")


def _reason(program: str, ended: Ended, what: str) -> tuple[str, bool]:
    words = ended.words
    if ended.ending is ProgramEnding.MISSING:
        return INSTALL[program], False
    if ended.ending is ProgramEnding.TIMED_OUT:
        return f"The program {program!r} did not end in time, so it was stopped.", True
    if any(it in words for it in _BUSY):
        return f"The forge asks `{program}` to come back later: too many questions.", True
    if any(it in words for it in (*UNREACHABLE, *_BROKEN)):
        return f"The forge does not answer `{program}`; it is asked again later.", True
    if ended.code == _NOT_LOGGED_IN or any(it in words for it in _LOGGED_OUT):
        return f"`{program}` is not logged in; run `{program} auth login`.", False
    if any(it in words for it in _NOWHERE):
        return f"`{program}` does not find {what}, or you may not see it.", False
    return "", False
