"""Hostile text costs more than ordinary text by a bounded factor, never by its square."""

from time import process_time

import pytest

from supervisor_ai.domain.redaction.formats import FORMATS
from supervisor_ai.domain.redaction.places import PLACES
from supervisor_ai.domain.redaction.program_files import PROGRAM_FILES
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.rules import RuleBook, SearchedText
from supervisor_ai.domain.redaction.stream import LONG_LINE


class Unsifted(RuleBook):
    """Searches every line: what lines cost that are not left out is measured by this."""

    def look(  # type: ignore[explicit-override]
        self, text: str, start: int = 0
    ) -> SearchedText:
        return SearchedText(self.search(text, start), text)


REDACTOR = RuleRedactor()
UNSIFTED = RuleRedactor(rules=Unsifted(formats=FORMATS, places=(*PLACES, *PROGRAM_FILES)))
ORDINARY = "def load(path: Path, *, token: str) -> Loaded:\n    return read(path, token)\n\n"
HOSTILE = [
    "a",
    "\n",
    "-",
    '"',
    "password=",
    "token:",
    "token",
    'password="',
    "password=\"'`",
    'secret=\\"\\',
    "key              =",
    "PASSWORD=A1b2C3d4e5 ",
    "<password>a",
    "eyJ",
    "eyJaaaaaaaa.",
    "\\neyJaaaaaaaaa",
    "://a:",
    "://a:b/",
    "bearer aaaaaaaaaaaaaaaaa ",
    "machine a login b password ",
    "user=a password=b ",
    "sk-",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN AAAAAAAAAAAAAAAAAAA PRIVATE KEY",
    "Private-Lines: 1",
    "[REDACTED:jwt]",
    "[REDACTED:jwt#0000]",
    "authorization: aaa ",
    'authorization: "b',
    "--user {",
    "-u a:",
    'token", value="',
    "token' , ",
    "xoxb-1",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-us",
    "a.bQ~",
    "1Q~",
    "p8e-a1b2",
    "AZDO",
    "%41sk-",
    "\x1b[1msk-",
    "ops_eyJ",
    "A3-AAAAAA-",
    "secret_",
    "/api/webhooks/1",
    "sl.",
    'password="' + "-" * 500 + '!" ',
    'password="' + "a_" * 300 + 'b!" ',
    'password="' + "1." * 300 + '1@" ',
    "PASSWORD=A1" + "a_" * 200 + "2 ",
    "PASSWORD=A1" + "Aa1" * 150 + "! ",
    'secret="' + "{a" * 300 + '1" ',
    "bearer=",
    "=bearer========",
    ":authorization:",
    "pass:",
    ":pwd:",
    "token=",
    ":_password:",
    "auth=aaaaaaaa",
    ":5432:a:b:",
    ":*:",
    "sshpass -p",
    "\npassword a1",
    "password: a1 ",
    "password: hunter\n",
]


def repeated(text: str, length: int) -> str:
    return (text * (length // len(text) + 1))[:length]


def cost(text: str, redactor: RuleRedactor = REDACTOR) -> float:
    """Return the processor time of a redaction, in seconds."""
    start = process_time()
    redactor.redact(text)
    return process_time() - start


# Judging each value as a whole, however long, costs a hundred times as much; an expression that
# backtracks over a whole line, some ten thousand times.
BOUND = 60


@pytest.fixture(scope="module")
def ordinary() -> float:
    return max(cost(repeated(ORDINARY, LONG_LINE), UNSIFTED) for _ in range(3))


@pytest.mark.parametrize("pattern", HOSTILE)
def test_hostile_text_costs_a_bounded_factor_more(pattern: str, ordinary: float) -> None:
    assert cost(repeated(pattern, LONG_LINE)) < BOUND * ordinary


# Four times the text may cost four times as much; a square would cost sixteen times.
GROWTH = 10


@pytest.mark.parametrize("pattern", ['password="x token: a1b2 ', *HOSTILE[::9]])
def test_more_text_costs_in_proportion(pattern: str) -> None:
    check_growth(pattern)


@pytest.mark.long
@pytest.mark.parametrize("pattern", HOSTILE)
def test_more_of_any_hostile_text_costs_in_proportion(pattern: str) -> None:
    check_growth(pattern)


def check_growth(pattern: str) -> None:
    short, long = (repeated(pattern, length) for length in (LONG_LINE // 4, LONG_LINE))

    usual = repeated(ORDINARY, len(short))
    least = max(cost(text, UNSIFTED) for text in (short, usual) for _ in range(3))

    assert min(cost(long, UNSIFTED) for _ in range(2)) < GROWTH * least


@pytest.mark.long
def test_twenty_megabytes_of_hostile_text() -> None:
    text = "".join(repeated(pattern, 20_000_000 // len(HOSTILE)) for pattern in HOSTILE)
    ordinary = repeated(ORDINARY, len(text))

    assert cost(text) < 30 * cost(ordinary, UNSIFTED)
