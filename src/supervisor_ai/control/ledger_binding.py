"""Ledger binding: whether the ledger in a checkout is this user's in this repository."""

from datetime import datetime
from secrets import randbelow
from shlex import quote
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.ledger_binding import Bindings, FoundLedger, Home, LedgerFile
from supervisor_ai.control.settings import Policy
from supervisor_ai.domain.errors import Denied

_NUMBERS: Final = 2**31 - 1
_ASK: Final = "Look at it and agree, if you do: supervisor trust"


class LedgerReview(Struct, frozen=True, kw_only=True):
    """A ledger that the user did not bind to the repository yet."""

    path: str
    size: int
    changed_at: datetime
    reason: str
    fingerprint: str


class LedgerBinding(Struct, frozen=True, kw_only=True):
    """What ties a ledger to a repository's git directory, for one user.

    Whatever lies in a checkout may have come with it; nothing of it is read before this agrees.
    """

    ledger: LedgerFile
    home: Home
    bindings: Bindings
    policy: Policy

    def check(self) -> bool:
        """Tell whether there is a ledger; refuse one that is not this user's in this repository."""
        found = self.ledger.find()
        if found is None:
            return False
        self._refuse_tracked()
        if not self.policy.trusts_everything and not self._is_bound(found):
            raise Denied(self._reason(found), hint=_ASK)
        return True

    def establish(self) -> None:
        """Make the ledger where there is none; what is made here is bound without a question."""
        if self.check():
            return
        self._refuse_tracked()
        self._refuse_leftovers()
        with self.home.alone():
            if not self.check():
                number = _new_number()
                # Bound first: a ledger that a crash left half made is then still known as ours.
                self.bindings.bind(number)
                self.ledger.make(number)

    def review(self) -> LedgerReview | None:
        """Return the ledger about which the user has to be asked, if there is one."""
        found = self.ledger.find()
        if found is None or self._is_bound(found):
            return None
        self._refuse_tracked()
        return LedgerReview(
            path=str(found.path),
            size=found.size,
            changed_at=found.changed_at,
            reason=self._reason(found),
            fingerprint=f"{found.number} {found.size} {found.changed_at.isoformat()}",
        )

    def bind(self) -> None:
        """Take over the ledger that the user agreed to."""
        with self.home.alone():
            found = self.ledger.find()
            if found is not None:
                # Another user's word names the number that is there.
                number = found.number or _new_number()
                self.ledger.adopt(number)
                self.bindings.bind(number)

    def _is_bound(self, found: FoundLedger) -> bool:
        return found.number != 0 and found.number == self.bindings.bound()

    def _refuse_tracked(self) -> None:
        tracked = self.home.tracked_state()
        if not tracked:
            return
        if self.bindings.bound() is not None:
            # A checkout may have replaced the file, which stays when it is no longer tracked.
            self.bindings.bind(None)
        raise Denied(
            f"The repository tracks {', '.join(map(repr, tracked))}, which is state of one machine"
            " and is never committed; nothing in it is believed.",
            hint=f"Take it out: git rm -r --cached {' '.join(map(quote, tracked))}, and commit;"
            " then remove it, unless you know that it is yours.",
        )

    def _refuse_leftovers(self) -> None:
        leftovers = self.ledger.leftovers()
        if not leftovers or self.policy.trusts_everything or self.bindings.bound() is not None:
            return
        raise Denied(
            f"There is no ledger here, but what belongs to one: {', '.join(leftovers)} in"
            " '.supervisor', which nobody here made.",
            hint="Remove it, or put it aside.",
        )

    def _reason(self, found: FoundLedger) -> str:
        told = f"The ledger {str(found.path)!r}"
        elsewhere = self.bindings.elsewhere()
        if self.bindings.bound() is not None:
            return f"{told} is not the one that you had here: another file took its place."
        if elsewhere:
            return f"{told} was moved or copied: you know the repository from {elsewhere[0]!r}."
        if found.number == 0:
            return f"{told} was made by an earlier version, or it came with the repository's files."
        return f"{told} was not made here by you: it may have come with the repository's files."


def _new_number() -> int:
    return 1 + randbelow(_NUMBERS)
