"""How many of many secrets are absent from the output, and how much else is."""

import json
from collections.abc import Callable
from typing import Final

import pytest
from tests.redaction_corpus.kinds import FORM_KINDS, KINDS
from tests.redaction_corpus.private_keys import KEYS
from tests.redaction_corpus.traps import TRAPS

from supervisor_ai.domain.redaction.redactor import RuleRedactor

REDACTOR: Final = RuleRedactor(key=b"a key for tests")
LEAST_SECRETS: Final = 60
LEAST_KINDS: Final = 30
LEAST_TRAPS: Final = 120
RECALL: Final = 0.97
PRECISION: Final = 0.95

SURROUNDINGS: Final[dict[str, Callable[[str], str]]] = {
    "alone": lambda secret: secret,
    "environment": lambda secret: f"export SOME_VALUE={secret}\n",
    "json": lambda secret: json.dumps({"a": [1, {"value": secret}]}),
    "json in json": lambda secret: json.dumps({"log": json.dumps({"value": secret})}),
    "after a newline in json": lambda secret: json.dumps({"log": f"one\n{secret}\nthree"}),
    "diff": lambda secret: f"@@ -1 +1 @@\n-value: old\n+value: '{secret}'\n",
    "log": lambda secret: f"12:00:01 INFO [main] sent {secret}, then waited\n",
    "markdown": lambda secret: f"Use `{secret}` here.\n",
    "call": lambda secret: f'client = Client("{secret}")\n',
    "url": lambda secret: f"https://api.example.com/v1?value={secret}&page=2",
    "colour": lambda secret: f"\x1b[31m{secret}\x1b[0m",
    "in a URL": lambda secret: f"https://api.example.com/?next=%2Fa%3Fvalue%3D{secret}%26page",
    "in a string of JavaScript": lambda secret: f'"a?b\\u003d{secret}\\u0026c"',
    "windows": lambda secret: f"value={secret}\r\nnext=1\r\n",
}


def absent(text: str, secret: str) -> bool:
    return secret not in REDACTOR.redact(text).text


def test_the_corpus_is_large_enough() -> None:
    assert len({kind.secret for kind in KINDS}) >= LEAST_SECRETS
    assert len({kind.name for kind in KINDS}) >= LEAST_KINDS
    assert len(set(TRAPS)) >= LEAST_TRAPS


def test_secrets_are_absent_and_the_rest_is_not() -> None:
    texts = [(kind.text, [kind.secret]) for kind in KINDS] + list(KEYS.values())
    missed = [text for text, lines in texts if not all(absent(text, line) for line in lines)]
    wrong = [trap for trap in TRAPS if REDACTOR.redact(trap).count]
    found = len(texts) - len(missed)

    assert found / len(texts) >= RECALL, missed
    assert found / (found + len(wrong)) >= PRECISION, wrong


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_a_form_is_known_in_any_surroundings(name: str) -> None:
    known = [kind for kind in FORM_KINDS if kind.is_known_anywhere]
    missed = [k.name for k in known if not absent(SURROUNDINGS[name](k.secret), k.secret)]

    assert 1 - len(missed) / len(known) >= RECALL, missed


def test_no_secret_stands_in_the_sources_of_the_corpus() -> None:
    from pathlib import Path

    for path in Path(__file__).parents[2].joinpath("redaction_corpus").glob("*.py"):
        text = path.read_text()
        assert [kind.name for kind in FORM_KINDS if kind.secret in text] == []
