"""`supervisor trust`."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import base_option, json_option
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.tables import folded, local_time
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.commands.trust import (
    TrustReview,
    describe,
    describe_pinned,
    grant_trust,
    review_trust,
)
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Denied, Untrusted

if TYPE_CHECKING:
    from supervisor_ai.cli.run_start import StartOptions

T = TypeVar("T")


class _Options(TypedDict):
    fingerprint: str | None
    show: bool
    base: str | None
    as_json: bool


@verb(example="supervisor trust")
@click.option("--show", is_flag=True, help="Only show what the project asks for.")
@click.option("--fingerprint", metavar="HASH", help="Agree to exactly what --show names so.")
@base_option
@json_option
@click.pass_obj
def trust(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Agree to what the project may do on your machine.

    Shows a ledger that you did not make here, every setting of the repository that names a
    command or opens a path, and what runs of an adopted ledger were started with, and asks. The
    agreement counts for exactly that, in this repository at this place, and is void when one of
    the settings changes. Where nobody can be asked, name what you agree to with --fingerprint, or
    set SUPERVISOR_TRUST=1, which counts as yes.
    """
    preflight = invocation.preflight()
    review = _review(invocation, preflight, options["base"])
    if options["show"]:
        _ = write_json({"trust": review}) if options["as_json"] else write(_shown(review))
        return DONE
    if review.is_trusted:
        detail = "The project asks for nothing that you have not agreed to."
        settled = MutationView(target=review.project, applied=False, dry_run=False, detail=detail)
        return report_mutation(settled, as_json=options["as_json"])
    agreed = options["fingerprint"] or _ask(preflight, review)
    mutation = grant_trust(preflight, review, agreed=agreed)
    following = _review(invocation, preflight, options["base"])
    if following.runs:
        # They could not be read before the ledger was the user's.
        agreed = _ask(preflight, following)
        mutation = grant_trust(preflight, following, agreed=agreed)
    return report_mutation(mutation, as_json=options["as_json"])


def with_trust(invocation: Invocation, options: "StartOptions", prepare: Callable[[], T]) -> T:
    """Prepare a run; where nothing but the user's trust is missing, a terminal is asked for it."""
    try:
        return prepare()
    except Untrusted:
        if options["dry_run"] or options["as_json"] or not can_ask():
            raise
    _ask_now(invocation, options["base"])
    return prepare()


def _ask_now(invocation: Invocation, base: str | None) -> None:
    """Show what the project asks for and keep the user's yes; raise Denied at a no."""
    preflight = invocation.preflight()
    review = _review(invocation, preflight, base)
    mutation = grant_trust(preflight, review, agreed=_ask(preflight, review))
    say(one_line(mutation.detail))


def _review(invocation: Invocation, preflight: Preflight, base: str | None) -> TrustReview:
    records = None if preflight.binding.review() else invocation.records()
    return review_trust(preflight, records, ref=base)


def _ask(preflight: Preflight, review: TrustReview) -> str:
    say(_shown(review))
    if preflight.policy.trusts_everything:
        return review.fingerprint
    if not can_ask():
        raise Denied(
            "Trust needs your word, and there is no terminal to ask you.",
            hint=f"If you agree: supervisor trust --fingerprint {review.fingerprint}",
        )
    if not click.confirm(f"Do you trust {_asked(review)}?", default=False, err=True):
        raise Denied("You did not agree; nothing was changed.")
    return review.fingerprint


def _asked(review: TrustReview) -> str:
    parts = {
        "this ledger": review.ledger is not None,
        "these runs": bool(review.runs),
        "these settings": bool(review.added or review.removed),
    }
    return " and ".join(name for name, is_asked in parts.items() if is_asked)


def _shown(review: TrustReview) -> str:
    lines = [f"{review.project} asks for:"]
    added = set(review.added)
    lines += [
        f"  {'+' if power in added else ' '} {one_line(describe(power))}" for power in review.powers
    ]
    lines += [f"  - {one_line(describe(power))}" for power in review.removed]
    if not review.powers:
        lines.append("  nothing")
    lines += [*_ledger(review), *_runs(review)]
    state = "trusted" if review.is_trusted else "not trusted"
    return "\n".join(folded([*lines, f"fingerprint {review.fingerprint}, {state}"]))


def _ledger(review: TrustReview) -> Iterator[str]:
    if review.ledger is None:
        return
    yield one_line(review.ledger.reason)
    changed = local_time(review.ledger.changed_at)
    yield f"  {review.ledger.size} bytes, last changed at {changed}; nothing in it was read."
    yield "  If it is yours, its runs go on here; answers that wait in its inbox are dropped."


def _runs(review: TrustReview) -> Iterator[str]:
    for waiting in review.runs:
        yield f"Run {one_line(waiting.run)} was started with:"
        for power in waiting.missing:
            yield from (f"  + {one_line(line)}" for line in describe_pinned(power))
