"""Secrets of every kind are absent from the output, however the text was cut into pieces."""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redaction_corpus.kinds import KINDS, SHORT_KINDS, Kind
from tests.redaction_corpus.private_keys import BODY_RSA, KEYS

from supervisor_ai.domain.redaction.private_keys import PRIVATE_KEY
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.rules import RULES
from supervisor_ai.domain.redaction.stream import LONG_LINE, OVERLAP, RuleStream

REDACTOR = RuleRedactor()


def in_pieces(text: str, cuts: Sequence[int]) -> str:
    stream = REDACTOR.stream()
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    pieces = [text[at:to] for at, to in pairwise(places)]
    return "".join(map(stream.feed, pieces)) + stream.close()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name}: {kind.line}"[:60])
def test_a_secret_is_absent(kind: Kind) -> None:
    redacted = REDACTOR.redact(f"before\n{kind.text}\nafter\n")

    assert kind.secret not in redacted.text
    assert redacted.count == 1
    before, after = kind.line.split("{}") if kind.line.count("{}") == 1 else kind.line.rsplit("{}")
    start, middle, end = redacted.text.splitlines()
    assert (start, end) == ("before", "after")
    assert middle == f"{before}[REDACTED:{kind.name}]{after}"


def test_every_rule_has_a_canary() -> None:
    assert {rule.id for rule in RULES} == {kind.name for kind in KINDS}


@pytest.mark.parametrize("name", KEYS)
def test_the_body_of_a_private_key_is_absent(name: str) -> None:
    text, lines = KEYS[name]

    redacted = REDACTOR.redact(f"before\n{text}after\n")

    assert [line for line in lines if line in redacted.text] == []
    assert redacted.text.count("\n") == f"before\n{text}after\n".count("\n")
    assert redacted.text.startswith("before\n")
    assert redacted.text.endswith("after\n")
    assert f"[REDACTED:{PRIVATE_KEY}]" in redacted.text
    assert redacted.count == 1


BELOW = [
    ("password: >-\n  {}\n", "hunter2hunter2"),
    ("  db:\n    password: |\n      {}\n    host: x\n", "tangerine"),
    ("api_token:\n  {}\n", "k9Xw27fPq0Zr"),
    ('password = (\n    "{}"\n)\n', "zebra"),
    ('DB_PASSWORD = \\\n    "{}"\n', "hunter2"),
    ("+password: >-\n+  {}\n", "hunter2hunter2"),
    ('{"log": "password:\\n  {}\\nhost: x"}\n', "hunter2hunter2"),
    ("token: |\n  {}\n  {}\n  {}\nhost: x\n", "k9Xw27fPq0Zr"),
    ("- name: DB_PASSWORD\n  value: {}\n- name: HOST\n  value: x\n", "hunter2xyz"),
    ('[{\n  "name": "API_TOKEN",\n  "value": "{}"\n}]\n', "k9Xw27fPq0Zr"),
]


@pytest.mark.parametrize(("text", "secret"), BELOW)
@pytest.mark.parametrize("before", ["", "def load(path):\n    return read(path)\n" * 1500])
def test_a_value_below_its_name_is_absent(text: str, secret: str, before: str) -> None:
    whole = before + text.replace("{}", secret) + "after: 1\n"

    redacted = REDACTOR.redact(whole)

    assert redacted.text == before + text.replace("{}", "[REDACTED:assignment]") + "after: 1\n"
    assert REDACTOR.redact(redacted.text).count == 0
    for cut in range(len(before), len(whole)):
        assert in_pieces(whole, [cut, cut + 7]) == redacted.text


def test_a_frame_without_a_body_hides_nothing() -> None:
    text = 'if text.startswith("-----BEGIN PRIVATE KEY-----"):\n    return load(text)\n'

    assert REDACTOR.redact(text).text == text


def test_two_secrets_on_a_line_are_two() -> None:
    first, second = KINDS[0].secret, KINDS[12].secret

    redacted = REDACTOR.redact(f"{first} and {second}")

    assert redacted.text == "[REDACTED:anthropic-key] and [REDACTED:github-token]"
    assert redacted.count == 2


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name}: {kind.line}"[:60])
def test_a_secret_is_found_at_every_cut(kind: Kind) -> None:
    text = f"before\n{kind.text}\nafter"
    whole = REDACTOR.redact(text).text

    assert in_pieces(text, range(len(text))) == whole
    for cut in range(0, len(text), 5):
        assert in_pieces(text, [cut]) == whole


@pytest.mark.parametrize("name", KEYS)
def test_a_key_is_found_at_every_cut(name: str) -> None:
    text = f"x\n{KEYS[name][0]}y"
    whole = REDACTOR.redact(text).text

    assert in_pieces(text, range(len(text))) == whole
    for cut in range(0, len(text), 29):
        assert in_pieces(text, [cut]) == whole


WORDS = st.sampled_from(
    [
        *(kind.text for kind in KINDS),
        *(text for text, _ in KEYS.values()),
        *(kind.secret for kind in KINDS),
        *BODY_RSA[:2],
        *(
            "password",
            "token=",
            "secret: ",
            "hunter2",
            "&",
            ";",
            "auth",
            ":5432:",
            "://",
            "@",
            "Bearer ",
            '"',
            "'",
            "\\n",
            "\n",
            " ",
            "=",
            ":",
        ),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "[REDACTED:jwt]",
            "\r",
            "İ",
            "\\",
        ),
        *("a1B2c3D4", "def f(token: str) -> None:", "x" * 50, "eyJ", "sk-", "<password>", "</"),
    ]
)
TEXTS = st.lists(WORDS | st.text(max_size=12), max_size=12).map("".join)


@given(text=TEXTS, cuts=st.lists(st.integers(min_value=0, max_value=10_000), max_size=8))
def test_pieces_give_the_same_as_the_whole(text: str, cuts: list[int]) -> None:
    assert in_pieces(text, cuts) == REDACTOR.redact(text).text


@given(text=TEXTS)
def test_lines_stay_where_they_are(text: str) -> None:
    assert REDACTOR.redact(text).text.count("\n") == text.count("\n")


@given(text=TEXTS)
def test_twice_is_once(text: str) -> None:
    once = REDACTOR.redact(text).text

    assert REDACTOR.redact(once).text == once


# What must stand at the beginning of a line is out of place in the middle of a long one.
ANYWHERE = [
    kind
    for kind in KINDS
    if kind not in SHORT_KINDS
    if kind.name != "assignment" or kind.line.startswith(("{", "tool", "docker", "GET"))
]


@pytest.mark.parametrize("seed", range(4))
def test_secrets_in_a_very_long_line_are_absent(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test is to be repeatable
    kinds = chance.sample(ANYWHERE, k=len(ANYWHERE)) * 8
    text = "".join(f"{kind.text} {'lorem, ' * chance.randrange(40)} " for kind in kinds)
    assert len(text) > 2 * LONG_LINE

    redacted = REDACTOR.redact(text).text

    assert [kind for kind in ANYWHERE if kind.secret in redacted] == []
    assert in_pieces(text, range(0, len(text), 9973)) == redacted


@pytest.mark.parametrize("offset", [0, 10, 28, 60, 300, 1000, 5000])
def test_a_key_in_a_very_long_line_is_absent(offset: int) -> None:
    text, lines = KEYS["service account"]
    edge = LONG_LINE - OVERLAP
    line = "a " * ((edge - offset) // 2) + text.strip() + " a" * LONG_LINE

    redacted = REDACTOR.redact(line).text

    assert [part for part in lines if part in redacted] == []
    assert in_pieces(line, range(0, len(line), 9973)) == redacted


def test_a_large_key_file_is_not_held_back() -> None:
    stream = RuleStream()
    passed = stream.feed("-----BEGIN PRIVATE KEY-----\n")
    for _ in range(1000):
        passed += stream.feed(BODY_RSA[0] + "\n")

    assert passed.count("\n") == 1001
    assert BODY_RSA[0] not in passed


def test_no_more_than_a_long_line_is_held_back() -> None:
    stream = RuleStream()
    fed = passed = 0
    for _ in range(100):
        fed += 10_000
        passed += len(stream.feed("a" * 10_000))
        assert fed - passed < LONG_LINE

    assert passed + len(stream.close()) == fed


def test_no_pattern_can_match_more_than_the_overlap() -> None:
    from re import _parser  # type: ignore[attr-defined]

    widest = max(_parser.parse(rule.pattern).getwidth()[1] for rule in RULES)

    assert widest <= OVERLAP


def test_no_pattern_crosses_a_line() -> None:
    for kind in KINDS:
        for cut in range(1, len(kind.secret), 9):
            broken = f"{kind.secret[:cut]}\n{kind.secret[cut:]}"
            assert REDACTOR.redact(kind.line.replace("{}", broken)).text.count("\n") == 1


def test_two_private_keys_on_one_line_are_both_taken_out() -> None:
    bodies = (5 * "MIIEvQIBADANBgkq", 5 * "Zm9vYmFyYmF6cXV4")
    line = " ".join(
        f"-----BEGIN PRIVATE KEY-----{body}-----END PRIVATE KEY-----" for body in bodies
    )
    redacted = RuleRedactor().redact(f"a = {line} b\n").text
    assert not any(body in redacted for body in bodies)
    assert redacted.startswith("a = -----BEGIN PRIVATE KEY-----")
    assert redacted.endswith("-----END PRIVATE KEY----- b\n")
