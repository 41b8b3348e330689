"""What holds for every command: statuses of HTTP, exit codes, ends, and words as a last resort."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.ports.sandbox import END_ACTIONS, SandboxEnd
from supervisor_ai.workers.output.causes import (
    AUTH,
    BROKEN,
    CRASH,
    EXHAUSTED,
    NETWORK,
    NO_CREDIT,
    RATE,
    REFUSED,
    SETUP,
    SHAPE,
    TOO_LARGE,
    UNREADABLE,
    USED_UP,
    Cause,
    Phrase,
    Status,
)

_SERVER_ERRORS: Final = range(500, 600)
_OF_THE_COMMAND: Final = {SandboxEnd.COMMAND_MISSING: FailureCategory.CLI_ERROR}

STATUSES: Final[Mapping[Status, Cause]] = {
    400: SETUP,
    401: AUTH,
    402: NO_CREDIT,
    403: AUTH,
    404: SETUP,
    408: NETWORK,
    413: TOO_LARGE,
    422: SETUP,
    425: NETWORK,
    429: RATE,
    **dict.fromkeys(_SERVER_ERRORS, NETWORK),
}

LIMITS: Final = (
    Phrase(r"credit balance|insufficient[_ ]quota|billing_|payment required", NO_CREDIT),
    Phrase(
        r"usage limit|limit reached|hit your (\w+ ){0,3}limit|(weekly|daily|monthly|session) limit"
        r"|quota exceeded|exceeded your (\w+ ){0,2}quota|per ?day\b|out of (extra )?usage",
        USED_UP,
    ),
)
"""Limits that the next request does not find lifted."""

REFINEMENTS: Final[Mapping[Status, tuple[Phrase, ...]]] = {
    400: (
        Phrase(r"api key not valid|invalid api key|api_key_invalid", AUTH),
        Phrase(r"(prompt|input|request) is too long|context (length|window)|too many", TOO_LARGE),
        *LIMITS,
    ),
    403: (*LIMITS,),
    429: (*LIMITS,),
}
"""Where the words of an error say more than its status."""

ENDS: Final[Mapping[SandboxEnd, Cause]] = {
    end: Cause(_OF_THE_COMMAND.get(end, FailureCategory.RESOURCE), action)
    for end, action in END_ACTIONS.items()
}

KILLED_FROM_OUTSIDE: Final = Cause(FailureCategory.RESOURCE, Action.RETRY_ONCE)
"""Most likely by the kernel, for want of memory, but nobody says so."""
EXITS: Final[Mapping[int, Cause]] = {
    126: SETUP,
    127: SETUP,
    137: KILLED_FROM_OUTSIDE,
    -9: KILLED_FROM_OUTSIDE,
}

KILLED: Final = frozenset({129, 130, 131, 134, 137, 139, 141, 143})
"""What a shell makes of the signal that ended a command."""

PHRASES: Final = (
    Phrase(r"unknown (option|argument|command|flag)s?|unexpected argument|unrecognized", SETUP),
    Phrase(
        r"missing optional dependency|cannot find (module|package)|module ?not ?found"
        r"|no module named|exec format error|cannot execute|bad (interpreter|cpu)"
        r"|error while loading shared libraries|symbol lookup error|version `?glibc"
        r"|unsupported (engine|platform|node)|requires node|mach-o|undefined symbol",
        BROKEN,
    ),
    Phrase(r"command not found|no such file or directory|not executable|enoent", SETUP),
    Phrase(r"is not valid json|error loading config|no longer supported", SETUP),
    Phrase(r"no (prompt|input) provided|input must be provided", SETUP),
    Phrase(
        r"not logged in|invalid (api|auth)|api key|authentication|unauthori[sz]ed|log ?in again"
        r"|oauth token|\b401\b",
        AUTH,
    ),
    *LIMITS,
    Phrase(r"too many requests|rate.?limit|\b429\b|resource.?exhausted", RATE),
    Phrase(r"(prompt|input|context) (is )?too (long|large)|context (length|window)", TOO_LARGE),
    Phrase(r"content.?filter|safety (filter|setting|system)|usage polic", REFUSED),
    Phrase(r"overloaded|at capacity|high demand|\b529\b|\b50[0234]\b|internal server", NETWORK),
    Phrase(
        r"econn|\benotfound|eai_again|etimedout|socket hang up|fetch failed"
        r"|connection (failed|error)|error sending request|stream (disconnected|ended|closed)"
        r"|network|dns\b|certificate",
        NETWORK,
    ),
    Phrase(r"blocked:|cannot proceed|impossible to", REFUSED),
    Phrase(r"out of memory|disk full|no space left|heap limit|enomem|enospc", EXHAUSTED),
    Phrase(r"permission denied|file not found|cannot be used with root", SETUP),
    Phrase(r"invalid json|validation error|missing required field", SHAPE),
    Phrase(r"could not extract|no json found|malformed output", UNREADABLE),
    Phrase(r"timed? ?out|connection (refused|reset|closed)|temporary failure|eagain", NETWORK),
    Phrase(r"try again", CRASH),
)
"""The last resort, from the most to the least telling."""

SPEECHLESS: Final = Cause(FailureCategory.PARSING, Action.RETRY_WITH_FEEDBACK)
"""It says that it succeeded, and nothing else."""
