"""A nonce is no secret: redaction leaves it alone wherever it may stand."""

import pytest

from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.engine.host import SystemIds

PLACES = (
    "The nonce of this attempt is `{}`. Repeat it in the answer.",
    "SUPERVISOR_NONCE={}",
    "export SUPERVISOR_NONCE='{}'",
    "SUPERVISOR_NONCE: {}",
    'nonce: "{}"',
    "nonce = {}",
    "nonce: {}\n",
    "--nonce {}",
    "--nonce={}",
    "https://example.org/?nonce={}&page=2",
    "{}",
    "My answer has the nonce {}, as I was told.",
    '{{"nonce": "{}", "status": "APPROVED", "issues": []}}',
    '{{"type": "result", "result": "```json\\n{{\\"nonce\\": \\"{}\\"}}\\n```"}}',
    "<nonce>{}</nonce>",
    "| nonce | {} |",
    "environ({{'SUPERVISOR_ATTEMPT': '1', 'SUPERVISOR_NONCE': '{}'}})",
)


@pytest.mark.parametrize("place", PLACES)
def test_a_nonce_stays(place: str) -> None:
    redactor, ids = RuleRedactor(), SystemIds()
    for _ in range(100):
        text = place.format(ids.nonce())
        assert redactor.redact(text).text == text
        assert redactor.redact(f"before\n  {text}\nafter\n").count == 0


def test_a_nonce_that_comes_in_pieces_stays() -> None:
    text = f"SUPERVISOR_NONCE={SystemIds().nonce()}\n"
    for cut in range(len(text)):
        stream = RuleRedactor().stream()
        assert stream.feed(text[:cut]) + stream.feed(text[cut:]) + stream.close() == text
