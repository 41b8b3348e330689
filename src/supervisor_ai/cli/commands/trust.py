"""`supervisor trust`."""

from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.mutations import report_mutation
from supervisor_ai.cli.narration import one_line
from supervisor_ai.cli.options import base_option, json_option
from supervisor_ai.cli.output import can_ask, say, write, write_json
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.errors import DONE
from supervisor_ai.control.trusting import TrustReview, describe, grant_trust, review_trust
from supervisor_ai.control.views import MutationView
from supervisor_ai.domain.errors import Denied


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
    """Agree to what the project's settings may do on your machine.

    Shows every setting of the repository that names a command or opens a path, and asks. The
    agreement counts for exactly these settings and is void when one of them changes. Where
    nobody can be asked, name what you agree to with --fingerprint; CI may set SUPERVISOR_TRUST=1.
    """
    reception = invocation.reception()
    review = review_trust(reception, ref=options["base"])
    if options["show"]:
        _ = write_json({"trust": review}) if options["as_json"] else write(_shown(review))
        return DONE
    if review.is_trusted:
        detail = "The project asks for nothing that you have not agreed to."
        settled = MutationView(target=review.project, applied=False, dry_run=False, detail=detail)
        return report_mutation(settled, as_json=options["as_json"])
    agreed = options["fingerprint"] or _ask(review)
    mutation = grant_trust(reception, review, agreed=agreed)
    return report_mutation(mutation, as_json=options["as_json"])


def _ask(review: TrustReview) -> str:
    say(_shown(review))
    if not can_ask():
        raise Denied(
            "Trust needs your word, and there is no terminal to ask you.",
            hint=f"If you agree: supervisor trust --fingerprint {review.fingerprint}",
        )
    if not click.confirm("Do you trust these settings?", default=False, err=True):
        raise Denied("You did not agree; nothing was changed.")
    return review.fingerprint


def _shown(review: TrustReview) -> str:
    lines = [f"{review.project} asks for:"]
    added = set(review.added)
    lines += [
        f"  {'+' if power in added else ' '} {one_line(describe(power))}" for power in review.powers
    ]
    lines += [f"  - {one_line(describe(power))}" for power in review.removed]
    if not review.powers:
        lines.append("  nothing")
    state = "trusted" if review.is_trusted else "not trusted"
    return "\n".join([*lines, f"fingerprint {review.fingerprint}, {state}"])
