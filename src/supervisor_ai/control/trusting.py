"""How far the user trusts a project's definitions."""

from dataclasses import dataclass
from hashlib import sha256

from supervisor_ai.control.reception import Reception
from supervisor_ai.control.views import MutationView
from supervisor_ai.domain.errors import Conflict, Denied
from supervisor_ai.engine.ports.definitions import Power, TrustCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustReview:
    """What a project asks the user to trust, and whether the user did."""

    project: str
    is_trusted: bool
    fingerprint: str
    powers: tuple[Power, ...]
    added: tuple[Power, ...]
    removed: tuple[Power, ...]


def review_trust(reception: Reception, *, ref: str | None = None) -> TrustReview:
    """Bring together what the project asks at a commit and what the user agreed to."""
    powers = reception.catalog.powers(reception.repository.resolve(ref).sha)
    check = reception.trust.check(reception.repository.root, powers)
    return TrustReview(
        project=str(reception.repository.root),
        is_trusted=check.is_trusted,
        fingerprint=fingerprint(powers),
        powers=powers,
        added=check.added,
        removed=check.removed,
    )


def grant_trust(reception: Reception, review: TrustReview, *, agreed: str) -> MutationView:
    """Keep the user's agreement to exactly what was shown."""
    if agreed != review.fingerprint:
        raise Conflict(
            f"You agreed to {agreed!r}, but the project asks for {review.fingerprint!r}.",
            hint="Look at what it asks now: supervisor trust --show",
        )
    reception.trust.grant(reception.repository.root, review.powers)
    count = len(review.powers)
    settings = "1 setting is" if count == 1 else f"{count} settings are"
    return MutationView(
        target=review.project, applied=True, dry_run=False, detail=f"{settings} trusted now."
    )


def require_trust(reception: Reception, powers: tuple[Power, ...]) -> None:
    """Refuse definitions whose powers the user did not agree to."""
    if reception.policy.trusts_everything or not powers:
        return
    check = reception.trust.check(reception.repository.root, powers)
    if not check.is_trusted:
        raise Denied(
            _refusal(powers, check), hint="Look at them and agree, if you do: supervisor trust"
        )


def fingerprint(powers: tuple[Power, ...]) -> str:
    """Name exactly these powers."""
    told = "\n".join(sorted(f"{power.file}\0{power.key}\0{power.value}" for power in powers))
    return sha256(told.encode()).hexdigest()[:16]


def describe(power: Power) -> str:
    """Say where a power stands and what it is."""
    return f"{power.file}:{power.line} {power.key} = {power.value}"


def _refusal(powers: tuple[Power, ...], check: TrustCheck) -> str:
    if not check.removed and len(check.added) == len(powers):
        lines = [f"  {describe(power)}" for power in powers]
        return "\n".join(["You have not agreed to these settings of the project:", *lines])
    lines = [f"  + {describe(power)}" for power in check.added]
    lines += [f"  - {describe(power)}" for power in check.removed]
    return "\n".join(["These settings of the project changed since you agreed to them:", *lines])
