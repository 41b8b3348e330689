"""Secrets of every kind are absent from the output, however the text was cut into pieces."""

import base64
import random
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.redaction.private_keys import PRIVATE_KEY
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.rules import RULES
from supervisor_ai.domain.redaction.stream import LONG_LINE, OVERLAP, RuleStream

REDACTOR = RuleRedactor()
CHANCE = random.Random("a seed for canaries")  # noqa: S311 - canaries are no secrets
HEX = "0123456789abcdef"
LETTERS = string.ascii_letters + string.digits


def body(length: int, alphabet: str = LETTERS) -> str:
    """Make something that looks as random as a real secret."""
    while True:
        text = "".join(CHANCE.choices(alphabet, k=length))
        if any(letter.isdigit() for letter in text):
            return text


def base64_lines(size: int, width: int = 64) -> list[str]:
    text = base64.b64encode(CHANCE.randbytes(size)).decode()
    return [text[at : at + width] for at in range(0, len(text), width)]


@dataclass(frozen=True)
class Kind:
    """A secret, and a line as one meets it in; `{}` is its place."""

    name: str
    secret: str
    line: str = "key is {} indeed"

    @property
    def text(self) -> str:
        return self.line.replace("{}", self.secret)


def format_kinds() -> list[Kind]:
    jwt = f"eyJ{body(20)}.eyJ{body(60)}.{body(43)}"
    return [
        Kind("anthropic-key", f"sk-ant-api03-{body(90)}AA", "ANTHROPIC_API_KEY={}"),
        Kind("openai-key", f"sk-proj-{body(70)}T3BlbkFJ{body(70)}", '  "key": "{}",'),
        Kind("openai-key", f"sk-{body(48)}", "openai.api_key = '{}'"),
        Kind("openai-key", f"sk-{body(20)}T3BlbkFJ{body(20)}"),
        Kind("openrouter-key", f"sk-or-v1-{body(64, HEX)}"),
        Kind("google-key", f"AIza{body(35)}", "https://maps.example.com/?key={}&v=3"),
        Kind("huggingface-token", f"hf_{body(34)}"),
        Kind("groq-key", f"gsk_{body(52)}"),
        Kind("xai-key", f"xai-{body(80)}"),
        Kind("perplexity-key", f"pplx-{body(48)}"),
        Kind("replicate-token", f"r8_{body(37)}"),
        Kind("langsmith-key", f"lsv2_pt_{body(32, HEX)}_{body(10, HEX)}"),
        Kind("github-token", f"ghp_{body(36)}", "git clone https://{}@github.com/a/b"),
        Kind("github-token", f"gho_{body(36)}"),
        Kind("github-token", f"ghs_{body(36)}", "remote: {}"),
        Kind("github-token", f"github_pat_{body(22)}_{body(59)}"),
        Kind("gitlab-token", f"glpat-{body(20)}", "PRIVATE-TOKEN: {}"),
        Kind("bitbucket-token", f"ATBB{body(32)}"),
        Kind("atlassian-token", f"ATATT3{body(180)}"),
        Kind("npm-token", f"npm_{body(36)}", "//registry.npmjs.org/:_authToken={}"),
        Kind("pypi-token", f"pypi-AgEIcHlwaS5vcmc{body(120)}"),
        Kind("rubygems-token", f"rubygems_{body(48, HEX)}"),
        Kind("crates-token", f"cio{body(32)}"),
        Kind("docker-token", f"dckr_pat_{body(27)}"),
        Kind("pulumi-token", f"pul-{body(40, HEX)}"),
        Kind("terraform-token", f".atlasv1.{body(67)}", "token abcdefghijklmn{} here"),
        Kind("postman-key", f"PMAK-{body(24, HEX)}-{body(34, HEX)}"),
        Kind("sentry-token", f"sntrys_{body(100)}"),
        Kind("aws-key-id", f"AKIA{body(16, string.ascii_uppercase + '234567')}"),
        Kind("aws-key-id", f"ASIA{body(16, string.ascii_uppercase + '234567')}", "id={},"),
        Kind("aws-secret-key", body(38) + "/+", "aws_secret_access_key = {}"),
        Kind("aws-secret-key", body(40), '"SecretAccessKey": "{}",'),
        Kind("aws-session-token", body(356) + "==", "aws_session_token={}"),
        Kind("google-oauth", f"ya29.{body(120)}"),
        Kind("google-oauth", f"GOCSPX-{body(28)}"),
        Kind("google-oauth", f"1//0{body(60)}"),
        Kind("azure-key", body(86) + "==", "AccountName=x;AccountKey={};EndpointSuffix=y"),
        Kind("azure-key", body(43) + "=", "SharedAccessKeyName=x;SharedAccessKey={}"),
        Kind("azure-signature", body(43) + "%3D", "https://x.blob.example.net/c?sp=r&sig={}&sv=1"),
        Kind("azure-secret", f"8Q~{body(34)}", "secret abc{} is"),
        Kind("digitalocean-token", f"dop_v1_{body(64, HEX)}"),
        Kind("heroku-key", f"HRKU-{body(36)}"),
        Kind("databricks-token", f"dapi{body(32, HEX)}"),
        Kind("fly-token", f"fm2_{body(90)}"),
        Kind("netlify-token", f"nfp_{body(36)}"),
        Kind("supabase-key", f"sbp_{body(40, HEX)}"),
        Kind("planetscale-token", f"pscale_tkn_{body(43)}"),
        Kind("vault-token", f"hvs.{body(90)}"),
        Kind("doppler-token", f"dp.pt.{body(43)}"),
        Kind("age-key", f"AGE-SECRET-KEY-1{body(58, string.ascii_uppercase + '023456789')}"),
        Kind("slack-token", f"xoxb-{body(12, '123456789')}-{body(24)}"),
        Kind("slack-token", f"xapp-1-A{body(9).upper()}-{body(40)}"),
        Kind("slack-webhook", f"T{body(8)}/B{body(8)}/{body(24)}", "hooks.slack.com/services/{}"),
        Kind(
            "discord-webhook",
            body(68),
            "https://discord.example.com/api/webhooks/123456789012345678/{}",
        ),
        Kind("telegram-token", f"AA{body(33)}", "bot 123456789:{} runs"),
        Kind("stripe-key", f"sk_live_{body(24)}"),
        Kind("stripe-key", f"rk_test_{body(24)}"),
        Kind("stripe-webhook", f"whsec_{body(32)}"),
        Kind("sendgrid-key", f"SG.{body(22)}.{body(43)}"),
        Kind("twilio-key", f"SK{body(32, HEX)}"),
        Kind("mailgun-key", f"key-{body(32, HEX)}"),
        Kind("shopify-token", f"shpat_{body(32, HEX)}"),
        Kind("square-token", f"sq0atp-{body(22)}"),
        Kind("newrelic-key", f"NRAK-{body(27, string.ascii_uppercase + string.digits)}"),
        Kind("grafana-token", f"glsa_{body(32)}_{body(8, HEX)}"),
        Kind("linear-key", f"lin_api_{body(40)}"),
        Kind("notion-token", f"ntn_{body(46)}"),
        Kind("airtable-token", f"pat{body(14)}.{body(64, HEX)}"),
        Kind("figma-token", f"figd_{body(40)}"),
        Kind("jwt", jwt, "cookie: session={}; Path=/"),
        Kind("jwt", jwt, r'{"log": "a\n{}"}'),
    ]


def place_kinds() -> list[Kind]:
    return [
        Kind("url-password", "s3cr3t-pw", "DATABASE_URL=postgres://app:{}@db.internal:5432/app"),
        Kind("url-password", "p%40ss/w0rd+x=", "redis://:{}@cache:6379/0"),
        Kind("url-password", "tr0ub4dor", "amqp://guest:{}@[::1]:5672//"),
        Kind("url-password", "x7!k9", "https://bob:{}@git.example.com/a.git"),
        Kind("connection-password", "P4ss!word", "Server=db;User Id=sa;Password={};Encrypt=true"),
        Kind("connection-password", "hunter2", "host=db user=app password={} dbname=x"),
        Kind("bearer-token", body(32), "Authorization: Bearer {}"),
        Kind("bearer-token", body(40), """curl -H "Authorization: bearer {}" https://x"""),
        Kind("authorization", "YWRtaW46aHVudGVyMg==", "Authorization: Basic {}"),
        Kind("authorization", body(40, HEX), '"Authorization": "Token {}"'),
        Kind("login", "Hunter2!pw", "curl -u admin:{} https://x"),
        Kind("login", "Xk29fjQ2", "machine git.example.com login bob password {}"),
        Kind("assignment", "Tr0ub4dor&3", 'password = "{}"'),
        Kind("assignment", "correct-horse-battery-staple", "password: '{}'"),
        Kind("assignment", body(32, HEX), '  "api_key": "{}",'),
        Kind("assignment", body(24), "const apiKey: string = `{}`;"),
        Kind("assignment", body(24), 'token: str | None = "{}"'),
        Kind("assignment", body(24), 'os.environ["MY_TOKEN"] = "{}"'),
        Kind("assignment", body(24), 'var clientSecret string = "{}"'),
        Kind("assignment", body(24), "'password' => '{}',"),
        Kind("assignment", body(24), 'char password[] = "{}";'),
        Kind("assignment", "supersecret123", "DB_PASSWORD={}"),
        Kind("assignment", "Passw0rd", "export MYSQL_PWD={}"),
        Kind("assignment", "hunter2!x", "    password: {}"),
        Kind("assignment", "supersecret123", "spring.datasource.password={}"),
        Kind("assignment", "supersecret123", "password = {}   # the database"),
        Kind("assignment", "q9$vL2#kd", "+  secret_key: {}"),
        Kind("assignment", "hunter2!x", "config/app.yml:12:  password: {}"),
        Kind("assignment", body(20), "docker run -e API_TOKEN={} image"),
        Kind("assignment", body(20), "tool --api-key {} --verbose"),
        Kind("assignment", body(20), "tool --password={}"),
        Kind("assignment", body(20), "GET /feed?access_token={}&page=2"),
        Kind("assignment", body(20), "curl -H 'X-Api-Key: {}' https://x"),
        Kind("assignment", body(20), "<password>{}</password>"),
        Kind("assignment", body(20), r'{"content": "{\"password\": \"{}\"}"}'),
        Kind("assignment", body(20), r'{"content": "a\nAPI_SECRET={}\nb"}'),
        Kind("assignment", body(20), r'{"content": "a\npassword: {}\nb"}'),
    ]


KINDS = format_kinds() + place_kinds()


def key_block(frame: str, lines: Sequence[str], *, newline: str = "\n") -> str:
    return newline.join([f"-----BEGIN {frame}-----", *lines, f"-----END {frame}-----", ""])


BODY_RSA = base64_lines(1190)
BODY_OPENSSH = base64_lines(350, width=70)
BODY_ED25519 = base64_lines(48)
BODY_PGP = base64_lines(900)
ENCRYPTED = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B2C", "", *BODY_RSA]

KEYS = {
    "PKCS8": (key_block("PRIVATE KEY", BODY_RSA), BODY_RSA),
    "RSA": (key_block("RSA PRIVATE KEY", BODY_RSA), BODY_RSA),
    "EC": (key_block("EC PRIVATE KEY", BODY_ED25519), BODY_ED25519),
    "encrypted": (key_block("RSA PRIVATE KEY", ENCRYPTED), BODY_RSA),
    "OpenSSH": (key_block("OPENSSH PRIVATE KEY", BODY_OPENSSH), BODY_OPENSSH),
    "PGP": (
        key_block("PGP PRIVATE KEY BLOCK", ["Version: 1", "", *BODY_PGP, "=aB3d"]),
        [*BODY_PGP, "aB3d"],
    ),
    "PuTTY": (
        "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 19\n"
        + "\n".join(BODY_RSA)
        + "\nPrivate-MAC: 00\n",
        BODY_RSA,
    ),
    "service account": (
        '{"type": "service_account", "private_key": "'
        + key_block("PRIVATE KEY", BODY_RSA, newline="\\n")
        + '", "client_email": "x@y"}\n',
        BODY_RSA,
    ),
    "indented": (
        "key: |\n"
        + "".join(f"  {line}\n" for line in key_block("PRIVATE KEY", BODY_RSA).splitlines()),
        BODY_RSA,
    ),
    "source code": (
        "KEY = (\n"
        + "".join(f'    "{line}\\n"\n' for line in key_block("PRIVATE KEY", BODY_RSA).splitlines())
        + ")\n",
        BODY_RSA,
    ),
    "diff": (
        "".join(f"+{line}\n" for line in key_block("PRIVATE KEY", BODY_RSA).splitlines()),
        BODY_RSA,
    ),
    "short": (
        key_block("RSA PRIVATE KEY", ["MIIEowIBAAKC", "canary2", "AQ=="]),
        ["MIIE", "canary2"],
    ),
    "short, on one line": (
        "KEY=" + key_block("PRIVATE KEY", ["CANARYBODY"], newline="\\n") + "\n",
        ["CANARYBODY"],
    ),
    "cut short": (key_block("PRIVATE KEY", BODY_RSA).partition("-----END")[0], BODY_RSA),
    "windows": (key_block("PRIVATE KEY", BODY_RSA, newline="\r\n"), BODY_RSA),
}


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
