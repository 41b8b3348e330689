"""The quick look at whole lines leaves out no line in which the rules find a secret."""

from hypothesis import given
from hypothesis import strategies as st
from tests.redaction_corpus.kinds import KINDS
from tests.redaction_corpus.private_keys import KEYS
from tests.redaction_corpus.traps import TRAPS

from supervisor_ai.domain.redaction.formats import FORMATS
from supervisor_ai.domain.redaction.rules import RULE_BOOK, RULES
from supervisor_ai.domain.redaction.sieve import Sieve, linear_matcher

DULL = "def load(path: Path) -> Loaded:\n    return read(path)\n"
PADDING = DULL * (40 * 1024 // len(DULL))
TEXTS = [*(kind.text for kind in KINDS), *TRAPS, *(text for text, _ in KEYS.values())]
KEYWORDS = sorted({keyword for rule in RULES for keyword in rule.keywords})
NAMES = [
    "api_key",
    "apiKey",
    "CLIENT.KEY",
    "PASSWORDS",
    "dbPwd",
    "accessToken",
    "secret-2",
    "creds",
]
SIGNS = ["=", ": ", " = ", '": "', "=> '", " ", ">", '\\": \\"', ", value='", ":=", "?.="]
GLUE = [
    "",
    "--",
    "ENV ",
    "[3]",
    "]",
    ", ",
    "value",
    " str | None",
    " ",
    "\n",
    "\r\n",
    "\\n",
    "%3D",
    "\\u003d",
    "\x1b[1;31m",
    "@",
    "://u:",
    '"',
    "'",
    "-",
    "é",
]
VALUES = [
    "hunter2",
    "A1b2C3d4e5F6g7H8",
    "${NAME}",
    "x" * 20,
    "Kelvin \u212a",
    "\ud800",
    "\x0b",
    "?",
]
PIECES = st.sampled_from([*GLUE, *NAMES, *SIGNS, *VALUES, *KEYWORDS, *(it.secret for it in KINDS)])


def test_what_is_known_is_found_among_much_else() -> None:
    for text in TEXTS:
        whole = f"{PADDING}{text}\n{PADDING}"
        assert RULE_BOOK.find(whole) == RULE_BOOK.search(whole)


@given(
    parts=st.lists(PIECES, max_size=12),
    before=st.integers(0, 60),
    after=st.sampled_from(["", DULL]),
)
def test_the_quick_look_finds_what_the_rules_find(
    parts: list[str], before: int, after: str
) -> None:
    text = PADDING[: 2048 + before] + "".join(parts) + after

    assert RULE_BOOK.find(text, before) == RULE_BOOK.search(text, before)


@given(
    text=st.sampled_from(TEXTS),
    changes=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 3), PIECES), max_size=4),
)
def test_the_quick_look_finds_what_the_rules_find_in_changed_texts(
    text: str, changes: list[tuple[int, int, str]]
) -> None:
    for place, gone, new in changes:
        at = place % (len(text) + 1)
        text = text[:at] + new + text[at + gone :]
    whole = f"{PADDING[:2048]}\n{text}\n"

    assert RULE_BOOK.find(whole) == RULE_BOOK.search(whole)


@given(parts=st.lists(PIECES, max_size=8), start=st.integers(0, 200))
def test_what_comes_before_is_seen_and_not_searched(parts: list[str], start: int) -> None:
    text = "a" * 100 + "".join(parts) + "\n" + PADDING

    assert RULE_BOOK.find(text, start) == RULE_BOOK.search(text, start)


def test_names_are_seen_in_flags_and_images_and_before_types() -> None:
    for text in (
        "run --db.password A1b2C3d4e5F6",
        "ENV DB_PASSWORD A1b2C3d4e5F6",
        "char token[16] = 'A1b2C3d4e5F6g7H8'",
        "api_key: str | None = 'A1b2C3d4e5F6g7H8'",
        "secret.a.my_key = 'A1b2C3d4e5F6g7H8'",
        '{"name": "DB_PASSWORD", "value": "A1b2C3d4e5F6"}',
        "<password>A1b2C3d4e5F6</password>",
    ):
        whole = f"{PADDING}{text}\n"
        assert RULE_BOOK.find(whole) == RULE_BOOK.search(whole) != []


def test_odd_letters_and_spaces_hide_nothing() -> None:
    for text in ("https://b\u00e9b:x7!k9@git.example.com/a.git", "curl -u  bob:hunter2 x"):
        whole = f"{PADDING}{text}\n"
        assert RULE_BOOK.find(whole) == RULE_BOOK.search(whole) != []


def test_a_line_is_kept_whole_and_others_are_not() -> None:
    kept = Sieve(RULES).keep("a\npassword: b\nc token\nd token=e", 0)

    assert kept.text == "password: b\nd token=e"
    assert (kept.starts, kept.origins) == ([0, 12], [2, 22])


def test_what_begins_in_a_kept_line_hides_none_that_follows() -> None:
    text = "password: a -u b\ntoken = c\nd\ne:\n"
    kept = Sieve(RULES).keep(text, 0)

    assert kept.text.startswith("password: a -u b\ntoken = c\n")
    assert Sieve(RULES).keep("password: a, token: b\nc\n", 0).text == "password: a, token: b\n"


def test_most_of_ordinary_code_is_left_out() -> None:
    assert Sieve(RULES).keep(PADDING, 0).text == ""


def test_a_matcher_is_made_for_a_long_text_and_then_used_for_shorter_ones() -> None:
    sieve = Sieve(FORMATS)

    assert not sieve.is_worth_it(4096)
    assert sieve.is_worth_it(64 * 1024)
    assert sieve.is_worth_it(4096)
    assert not sieve.is_worth_it(100)


def test_without_a_linear_matcher_everything_is_searched() -> None:
    sieve = Sieve(RULES, lambda shape: linear_matcher(shape, "no_such_library"))

    assert not sieve.is_worth_it(1_000_000)
    assert sieve.may_match("anything")
    assert sieve.sifted("anything") == "anything"
    assert sieve.keep("anything", 0).text == ""
