"""Trust of the user in a project: its ledger, its definitions, and what its runs pinned."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ledger_binding import LedgerReview
from supervisor_ai.control.ports.definitions import Power, TrustCheck
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.records import Records
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.control.settings import Policy
from supervisor_ai.domain.errors import Conflict, Untrusted
from supervisor_ai.domain.ids import ArtifactHash, RunId, run_stream
from supervisor_ai.domain.run.events import DefinitionMigrated, RunSubmitted
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.engine.pinned import pinned_powers
from supervisor_ai.engine.ports.consent import Consent, PinnedPower

_SHOWN: Final = 400


class RunReview(Struct, frozen=True, kw_only=True):
    """A run that has not ended, and what the user did not agree to of what it pinned."""

    run: RunId
    missing: tuple[PinnedPower, ...]


class TrustReview(Struct, frozen=True, kw_only=True):
    """What a project asks the user to trust, and whether the user did."""

    project: str
    is_trusted: bool
    fingerprint: str
    powers: tuple[Power, ...]
    added: tuple[Power, ...]
    removed: tuple[Power, ...]
    ledger: LedgerReview | None = None
    """A ledger that is not the user's yet; its runs are not read before it is."""
    runs: tuple[RunReview, ...] = ()
    """The runs that wait for the user's word."""


class UserConsent(Struct, frozen=True, kw_only=True):
    """What the user agreed to, unless this call is an exception."""

    trust: Consent
    policy: Policy

    def missing(self, powers: tuple[PinnedPower, ...]) -> tuple[PinnedPower, ...]:
        """Return what the user did not agree to."""
        return () if self.policy.trusts_everything else self.trust.missing(powers)


def review_trust(
    preflight: Preflight, records: Records | None = None, *, ref: str | None = None
) -> TrustReview:
    """Bring together what the project asks at a commit and what the user agreed to.

    Runs are looked at only where the records of a ledger are given that is the user's.
    """
    powers = preflight.catalog.powers(preflight.repository.resolve(ref).sha)
    check = preflight.trust.check(powers)
    ledger = preflight.binding.review()
    runs = () if records is None or ledger else tuple(_reviewed(preflight, records))
    return TrustReview(
        project=str(preflight.repository.root),
        is_trusted=check.is_trusted and not ledger and not runs,
        fingerprint=fingerprint(powers, ledger, runs),
        powers=powers,
        added=check.added,
        removed=check.removed,
        ledger=ledger,
        runs=runs,
    )


def grant_trust(preflight: Preflight, review: TrustReview, *, agreed: str) -> MutationView:
    """Keep the user's agreement to exactly what was shown."""
    if agreed != review.fingerprint:
        raise Conflict(
            f"You agreed to {agreed!r}, but the project asks for {review.fingerprint!r}.",
            hint="Look at what it asks now: supervisor trust --show",
        )
    if review.ledger:
        preflight.binding.bind()
    for waiting in review.runs:
        preflight.trust.agree(waiting.missing)
    preflight.trust.grant(review.powers)
    return MutationView(
        target=review.project, applied=True, dry_run=False, detail=" ".join(_granted(review))
    )


def require_trust(preflight: Preflight, powers: tuple[Power, ...]) -> None:
    """Refuse definitions whose powers the user did not agree to."""
    if preflight.policy.trusts_everything or not powers:
        return
    check = preflight.trust.check(powers)
    if not check.is_trusted:
        raise Untrusted(
            _refusal(powers, check), hint="Look at them and agree, if you do: supervisor trust"
        )


def keep_consent(
    preflight: Preflight, pinned: tuple[PinnedPower, ...], powers: tuple[Power, ...]
) -> None:
    """Keep that the user starts a run with what it pins, where the trust in it is lasting."""
    if not powers or preflight.trust.check(powers).is_trusted:
        preflight.trust.agree(pinned)


def fingerprint(
    powers: tuple[Power, ...], ledger: LedgerReview | None = None, runs: tuple[RunReview, ...] = ()
) -> str:
    """Name exactly what is asked for."""
    told = sorted(f"{power.file}\0{power.key}\0{power.value}" for power in powers)
    told += [] if ledger is None else [f"ledger\0{ledger.fingerprint}"]
    told += [f"{it.run}\0{power.key}\0{power.value}" for it in runs for power in it.missing]
    return sha256("\n".join(told).encode(errors="backslashreplace")).hexdigest()[:16]


def describe(power: Power) -> str:
    """Say where a power stands and what it is."""
    return f"{power.file}:{power.line} {power.key} = {power.value}"


def describe_pinned(power: PinnedPower) -> Iterator[str]:
    """Say what a run pinned, value by value; what is not said there widens nothing."""
    try:
        yield from _told(power.key, json.loads(power.value))
    except (ValueError, RecursionError):
        yield f"{power.key} = {_cut(power.value)}"


def _told(key: str, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _told(f"{key}.{name}", part)
    elif value not in (None, False, "", []):
        yield f"{key} = {_cut(json.dumps(value, ensure_ascii=False))}"


def _cut(text: str) -> str:
    """Shorten a prompt; no command that a person would read is that long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _reviewed(preflight: Preflight, records: Records) -> Iterator[RunReview]:
    _, count = records.queries.runs(limit=1)
    rows, _ = records.queries.runs(limit=max(count, 1))
    for row in rows:
        if row.status in ENDED:
            continue
        missing = preflight.trust.missing(_pinned(records, row.id))
        if missing:
            yield RunReview(run=row.id, missing=missing)


def _pinned(records: Records, run: RunId) -> tuple[PinnedPower, ...]:
    """Find what a run has pinned now."""
    definition, sandbox = ArtifactHash(""), ""
    for envelope in records.log.read(run_stream(run)):
        if isinstance(envelope.event, RunSubmitted):
            sandbox = envelope.event.sandbox
        if isinstance(envelope.event, RunSubmitted | DefinitionMigrated):
            definition = envelope.event.definition
    return pinned_powers(records.text(definition), sandbox=sandbox)


def _granted(review: TrustReview) -> Iterator[str]:
    if review.ledger:
        yield "The ledger is yours now."
    if review.runs:
        yield "1 run may go on." if len(review.runs) == 1 else f"{len(review.runs)} runs may go on."
    count = len(review.powers)
    yield "1 setting is trusted now." if count == 1 else f"{count} settings are trusted now."


def _refusal(powers: tuple[Power, ...], check: TrustCheck) -> str:
    if not check.removed and len(check.added) == len(powers):
        lines = [f"  {describe(power)}" for power in powers]
        return "\n".join(["You have not agreed to these settings of the project:", *lines])
    lines = [f"  + {describe(power)}" for power in check.added]
    lines += [f"  - {describe(power)}" for power in check.removed]
    return "\n".join(["These settings of the project changed since you agreed to them:", *lines])
