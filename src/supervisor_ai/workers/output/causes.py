"""Causes of failure, and the tables by which ended runs are judged."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import reduce
from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.run.failures.diagnosis import ACTIONS, Action
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import NO_USAGE, Usage

_UNSAID: Final = Decimal(0)

Status = int
"""A status of HTTP."""


class Cause(Struct, frozen=True):
    """A category, and what to do about it where that is not the usual thing."""

    category: FailureCategory
    override: Action | None = None

    @property
    def action(self) -> Action:
        """Return what is to be done."""
        return self.override or ACTIONS[self.category]


class Phrase(Struct, frozen=True):
    """Words that give a cause away, in any case."""

    pattern: str
    cause: Cause

    def is_in(self, text: str) -> bool:
        """Tell whether the words occur."""
        return re.search(self.pattern, text, re.IGNORECASE) is not None


NETWORK: Final = Cause(FailureCategory.NETWORK)
CRASH: Final = Cause(FailureCategory.CLI_ERROR, Action.RETRY_SAME)
"""Something ended it halfway, or it says itself that it is worth another try."""
UNKNOWN: Final = Cause(FailureCategory.CLI_ERROR, Action.RETRY_ONCE)
"""It failed, and nobody understands why."""
BROKEN: Final = Cause(FailureCategory.CLI_ERROR, Action.FAIL_OVER)
"""It cannot run on this machine at all; another agent may."""
SETUP: Final = Cause(FailureCategory.CLI_ERROR, Action.ESCALATE)
"""The command itself is wrong or cannot work here: the same again fails again."""
SHAPE: Final = Cause(FailureCategory.VALIDATION)
UNREADABLE: Final = Cause(FailureCategory.PARSING)
ASTRAY: Final = Cause(FailureCategory.LOGIC)
REFUSED: Final = Cause(FailureCategory.LOGIC, Action.ESCALATE)
WORDLESS: Final = Cause(FailureCategory.LOGIC, Action.RETRY_ONCE)
"""The model ended by itself and said nothing: an accident, or a filter that is not named."""
EXHAUSTED: Final = Cause(FailureCategory.RESOURCE)
"""Memory or disk: the same again needs as much again."""
OUT_OF_TURNS: Final = Cause(FailureCategory.RESOURCE, Action.RETRY_WITH_FEEDBACK)
TOO_LARGE: Final = Cause(FailureCategory.RESOURCE, Action.ESCALATE)
AUTH: Final = Cause(FailureCategory.AUTH)
RATE: Final = Cause(FailureCategory.LIMIT, Action.RETRY_SAME)
"""Too many requests at once; a reset time turns it into a limit to wait for."""
USED_UP: Final = Cause(FailureCategory.LIMIT)
NO_CREDIT: Final = Cause(FailureCategory.LIMIT, Action.FAIL_OVER)
"""Waiting brings no money."""


class AgentFault(Struct, frozen=True, kw_only=True):
    """What a record complains about."""

    message: str
    source: str
    """Which record it is."""
    codes: tuple[str, ...] = ()
    """Symbols, the most telling first."""
    status: Status | None = None
    hints: str = ""
    """Where else a reset time may be found: headers, a body."""


class Testimony(Struct, frozen=True, kw_only=True):
    """What all records together say."""

    ending: str | None = None
    """The terminal record, where there is one."""
    fault: AgentFault | None = None
    trouble: AgentFault | None = None
    """A complaint that the command was still trying to overcome when its records end."""
    text: str = ""
    usage: Usage = NO_USAGE
    session: str | None = None
    model: str | None = None
    num_turns: int | None = None
    has_records: bool = False


class Table(Struct, frozen=True, kw_only=True):
    """What a command's own codes, exit codes and words mean; all else is in the common tables."""

    codes: Mapping[str, Cause] = field(default_factory=dict)
    statuses: Mapping[Status, Cause] = field(default_factory=dict)
    exit_statuses: Mapping[int, Status] = field(default_factory=dict)
    """Exit codes that stand for a status of HTTP."""
    exits: Mapping[int, Cause] = field(default_factory=dict)
    phrases: tuple[Phrase, ...] = ()


def usage(
    *,
    tokens_in: int,
    tokens_out: int,
    cache_read: int = 0,
    cache_write: int = 0,
    cost: Decimal = _UNSAID,
) -> Usage:
    """Say what was consumed: all that went in, with the parts of it that a cache had or took."""
    read = min(cache_read, tokens_in)
    return Usage(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=cost,
        cache_read=read,
        cache_write=min(cache_write, tokens_in - read),
    )


def total(parts: Iterable[Usage]) -> Usage:
    """Add up."""
    return reduce(Usage.plus, parts, NO_USAGE)
