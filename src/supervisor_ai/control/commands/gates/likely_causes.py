"""What most probably keeps a project's command from working here, and what to do about it."""

import re
from typing import Final

from msgspec import Struct


class LikelyCause(Struct, frozen=True, kw_only=True):
    """A guess from what a command printed; `remedy` says what the user can do."""

    cause: str
    remedy: str


_INSTALL: Final = (
    "install it where the sandbox sees it: in a virtual environment in the project (.venv), on the"
    " PATH, or with the project's package manager as workspace.setup in .supervisor/config.yaml"
)
_NETWORK: Final = (
    "gates have no network: let workspace.setup fetch what is needed, with the hosts in"
    " workspace.egress, or leave such tests out of the gate's command"
)
_PATTERNS: Final = (
    (
        r"PackageNotFoundError: (?:No package metadata was found for )?['\"]?([\w.-]{1,100})",
        "the package {0!r} asks for its own version, and is not installed in the sandbox",
        "install the project with pip install -e . in .venv or by workspace.setup",
    ),
    (
        r"(?:ModuleNotFoundError: |ImportError: |: )No module named ['\"]?([\w.]{1,100})",
        "the module {0!r} is not installed in the sandbox",
        _INSTALL,
    ),
    (
        r"cannot import name '[^'\n]{1,100}' from '([\w.]{1,100})' \(unknown location\)",
        "the installed copy of {0!r} is hidden, so that tests run on the work and not on it, and"
        " the work's own files are not where imports look",
        'name their directory in the gate: env: {PYTHONPATH: "{workspace}/src"}',
    ),
    (
        r"Cannot find (?:module|package) '([^'\n]{1,100})'",
        "the package {0!r} is not installed in the workspace",
        "let workspace.setup install the packages (npm ci, pnpm install, yarn install)",
    ),
    (
        r"(?:sh|bash): (?:line )?(?:\d+: )?([\w@./+-]{1,60}): (?:command )?not found",
        "the program {0!r} is not there in the sandbox",
        _INSTALL,
    ),
    (
        r"(?i)name resolution|could not resolve host|ENOTFOUND|EAI_AGAIN|getaddrinfo|network is "
        r"unreachable|failed to establish a new connection|ECONNREFUSED|connection refused"
        r"|ENOTCACHED|dial tcp",
        "it needs the network",
        _NETWORK,
    ),
    (
        r"(?i)no space left on device",
        "the disk of the workspace is full",
        "give it more room: sandbox.limits.executor.disk",
    ),
    (
        r"Read-only file system|Permission denied",
        "it writes where a sandbox lets nobody write",
        "let it write below the workspace or in /tmp",
    ),
)


def likely_cause(text: str) -> LikelyCause | None:
    """Find the first known sign of trouble in an output."""
    for pattern, cause, remedy in _PATTERNS:
        found = re.search(pattern, text)
        if found:
            return LikelyCause(cause=cause.format(*found.groups()), remedy=remedy)
    return None
