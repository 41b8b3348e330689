"""Signatures of commits, as the user's git says, made by the user's own program and key."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import SignatureMissing
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.tools.programs import find_program
from supervisor_ai.workspaces.repositories.git import Git, ask_as_user, failure, printable

_PATIENCE: Final = timedelta(seconds=60)
"""A program that asks for a passphrase may wait for ever."""
_PROGRAMS: Final = {"openpgp": "gpg", "x509": "gpgsm", "ssh": "ssh-keygen"}
_KEYS: Final = (
    r"^(user\.signingkey|gpg\.(format|program|ssh\.defaultkeycommand|[a-z0-9]+\.program))$"
)
_OF_THE_KEY: Final = (
    *("HOME", "USER", "LOGNAME", "GNUPGHOME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"),
    *("DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO"),
)
_COMMAND: Final = "command"
"""The scope of what we ourselves tell git."""


class Unsigned(Struct, frozen=True, kw_only=True):
    """A commit that should be signed, and cannot be without its user."""

    reason: str

    @property
    def hint(self) -> str:
        """Say what a person can do about it."""
        return (
            "Unlock the key (ssh-add KEY, or let gpg sign something once) and try again; or switch"
            " signing off: git.sign_commits: false in your own config."
        )


class Signer(Struct, frozen=True, kw_only=True):
    """How the user's commits are signed."""

    settings: Mapping[str, str]
    problem: str | None = None
    """Why it is known beforehand that it cannot be done."""


class CommitDraft(Struct, frozen=True, kw_only=True):
    """A commit that is to be made."""

    tree: str
    parents: Sequence[CommitSha]
    message: bytes
    signature: Mapping[str, str]
    """In whose name, and when."""


def find_signer(checkout: Path) -> Signer | None:
    """Read whether and how the user's git signs commits made there; None: it does not."""
    if not _signs(checkout):
        return None
    reply = ask_as_user(checkout, "config", "--includes", "-z", "--get-regexp", _KEYS)
    entries = (entry.partition("\n") for entry in reply.text.split("\0") if entry)
    said = {key: value for key, _, value in entries}
    form = said.get("gpg.format", "openpgp")
    if form not in _PROGRAMS:
        return Signer(settings={}, problem=f"git's gpg.format is {form!r}, which is unknown")
    named = _program(said, form)
    program = find_program(named, os.environ.get("PATH"))
    if program is None:
        return Signer(settings={}, problem=f"the program {named!r} that signs was not found")
    if form == "ssh" and not said.keys() & {"user.signingkey", "gpg.ssh.defaultkeycommand"}:
        return Signer(settings={}, problem="git's user.signingkey names no key")
    return Signer(settings=dict(_settings(said, form, program)))


def make_commit(scratch: Git, draft: CommitDraft, signer: Signer | None) -> CommitSha | Unsigned:
    """Make a commit; one that should be signed is never made without."""
    if signer is not None and signer.problem is not None:
        return Unsigned(reason=_told(signer.problem))
    of = [part for parent in draft.parents for part in ("-p", parent)]
    sign = () if signer is None else ("-S",)
    environment = {**draft.signature, **({} if signer is None else _surroundings(signer))}
    made = scratch.ask(
        *("commit-tree", *sign, draft.tree, *of),
        stdin=draft.message,
        environment=environment,
        patience=None if signer is None else _PATIENCE,
    )
    if made.code == 0:
        return CommitSha(made.text)
    if signer is None or made.blames_the_disk():
        raise failure("commit-tree", scratch.directory, made)
    return Unsigned(reason=_told(printable(made.complaint) or "its program did not end in time"))


def require_signed(commit: CommitSha | Unsigned) -> CommitSha:
    """Raise SignatureMissing where a commit could not be signed."""
    if isinstance(commit, Unsigned):
        raise SignatureMissing(commit.reason, hint=commit.hint)
    return commit


def _told(why: str) -> str:
    return f"Your git signs commits (commit.gpgsign), and this one could not be signed: {why}."


def _signs(checkout: Path) -> bool:
    asked = ("config", "--includes", "--type=bool", "--show-scope", "-z")
    reply = ask_as_user(checkout, *asked, "--get-all", "commit.gpgsign")
    parts = reply.text.split("\0")
    said = [
        value for scope, value in zip(parts[::2], parts[1::2], strict=False) if scope != _COMMAND
    ]
    if reply.code not in {0, 1}:
        raise failure("config", checkout, reply)
    return bool(said) and said[-1] == "true"


def _program(said: Mapping[str, str], form: str) -> str:
    keys = (f"gpg.{form}.program", *(("gpg.program",) if form == "openpgp" else ()))
    named = next((said[key] for key in keys if key in said), _PROGRAMS[form])
    return str(Path(named).expanduser()) if named.startswith("~/") else named


def _settings(said: Mapping[str, str], form: str, program: str) -> Iterator[tuple[str, str]]:
    yield "gpg.format", form
    yield f"gpg.{form}.program", program
    for key in ("user.signingkey", "gpg.ssh.defaultkeycommand"):
        if key in said:
            yield key, said[key]


def _surroundings(signer: Signer) -> Mapping[str, str]:
    """Pass on what opens the user's keys, and nothing with which a person could be asked."""
    settings = {"GIT_CONFIG_COUNT": str(len(signer.settings)), "SSH_ASKPASS_REQUIRE": "never"}
    for number, (key, value) in enumerate(signer.settings.items()):
        settings |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    kept = {name: os.environ[name] for name in _OF_THE_KEY if name in os.environ}
    return {**kept, **settings}
