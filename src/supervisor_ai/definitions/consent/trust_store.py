"""The user's word on what a project may do."""

import hashlib
import json
from collections.abc import Iterable

from supervisor_ai.control.ports.definitions import Power, TrustCheck
from supervisor_ai.definitions.consent.agreements import Agreements, Grant
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.consent import PinnedPower


class FileTrustStore(Agreements):
    """Keeps a hash of what the user agreed to; any change makes it void."""

    def check(self, powers: tuple[Power, ...]) -> TrustCheck:
        """Compare what the project asks with what the user agreed to."""
        if not powers:
            return TrustCheck(is_trusted=True, added=(), removed=())
        grant = self.read().grant
        before = _by_identity(grant.powers if grant else ())
        now = _by_identity(powers)
        return TrustCheck(
            is_trusted=grant is not None and grant.sha256 == _digest(powers),
            added=tuple(power for key, power in now.items() if key not in before),
            removed=tuple(power for key, power in before.items() if key not in now),
        )

    def grant(self, powers: tuple[Power, ...]) -> None:
        """Keep the user's agreement to exactly these."""
        grant = Grant(sha256=_digest(powers), powers=powers)
        self.change(lambda agreement: replace(agreement, grant=grant))

    def missing(self, powers: tuple[PinnedPower, ...]) -> tuple[PinnedPower, ...]:
        """Return what the user did not agree to of what a run was started with."""
        known = set(self.read().pinned)
        return tuple(power for power in powers if _pinned(power) not in known)

    def agree(self, powers: tuple[PinnedPower, ...]) -> None:
        """Keep the user's agreement to what a run is started with."""
        new = {_pinned(power) for power in self.missing(powers)}
        if not new:
            return
        self.change(
            lambda agreement: replace(agreement, pinned=tuple(sorted({*agreement.pinned, *new})))
        )


def _identity(power: Power) -> tuple[str, str, str]:
    """Tell powers apart; a line that moved is no other power."""
    return (power.file, power.key, power.value)


def _by_identity(powers: Iterable[Power]) -> dict[tuple[str, str, str], Power]:
    return {_identity(power): power for power in powers}


def _digest(powers: Iterable[Power]) -> str:
    return _sha256(sorted(_by_identity(powers)))


def _pinned(power: PinnedPower) -> str:
    return _sha256([power.key, power.value])


def _sha256(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
