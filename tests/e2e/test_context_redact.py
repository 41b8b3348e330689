"""`supervisor context redact`, as a filter and as a hook."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.command import SUPERVISOR, User
from tests.redaction_corpus.chance import CHANCE, body, github_token
from tests.redaction_corpus.private_keys import KEYS
from tests.support.processes import PATIENCE

from supervisor_ai.domain.structs import replace

CHANCE.seed("context redact")
TOKEN: Final = github_token("ghp")
PASSWORD: Final = body(20)
TEXT: Final = f"one\n  token: {TOKEN}\nDB_PASSWORD={PASSWORD}\nagain {TOKEN}\n"


@dataclass(frozen=True)
class Answer:
    """What the command wrote and how it ended."""

    returncode: int
    stdout: bytes
    stderr: bytes


def redact(user: User, text: bytes, *options: str) -> Answer:
    assert user.preloaded is not None
    given = user.home / "given"
    given.write_bytes(text)
    code, out, err = user.preloaded.call_for_bytes(
        ["context", "redact", *options],
        directory=user.home,
        environment=user.environment,
        seconds=PATIENCE,
        streams={0: str(given)},
    )
    return Answer(code, out, err)


def test_the_text_is_printed_without_its_secrets(newcomer: User) -> None:
    said = redact(newcomer, TEXT.encode())

    lines = said.stdout.decode().splitlines()
    tag = lines[1].removeprefix("  token: ")
    assert said.returncode == 0
    assert TOKEN.encode() not in said.stdout + said.stderr
    assert PASSWORD.encode() not in said.stdout + said.stderr
    assert tag.startswith("[REDACTED:github-token#")
    assert [lines[0], lines[3]] == ["one", f"again {tag}"]
    assert said.stderr.decode() == "1 assignment\n2 github-token\nSecrets: 3.\n"


def test_tags_of_two_calls_have_nothing_in_common(newcomer: User) -> None:
    texts = {redact(newcomer, TEXT.encode()).stdout for _ in range(3)}

    assert len(texts) == 3


def test_findings_say_where_and_never_what(newcomer: User) -> None:
    said = redact(newcomer, TEXT.encode(), "--json")

    assert said.returncode == 0
    assert said.stderr == b""
    assert json.loads(said.stdout) == {
        "findings": [
            {"rule": "github-token", "line": 2, "column": 10},
            {"rule": "assignment", "line": 3, "column": 13},
            {"rule": "github-token", "line": 4, "column": 7},
        ],
        "counts": {"assignment": 1, "github-token": 2},
        "total": 3,
        "truncated": False,
    }


def test_a_check_fails_where_there_is_a_secret(newcomer: User) -> None:
    said = redact(newcomer, TEXT.encode(), "--check")

    assert said.returncode == 1
    assert said.stdout.decode() == "2:10  github-token\n3:13  assignment\n4:7  github-token\n"
    assert redact(newcomer, TEXT.encode(), "--check", "--json").returncode == 1


def test_a_check_passes_where_there_is_none(newcomer: User) -> None:
    said = redact(newcomer, b"token: str\n", "--check")

    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"Secrets: 0.\n")


def test_many_findings_are_counted_and_not_all_listed(newcomer: User) -> None:
    report = json.loads(redact(newcomer, f"{TOKEN}\n".encode() * 1001, "--json").stdout)

    assert (report["total"], report["truncated"], len(report["findings"])) == (1001, True, 1000)


def test_a_private_key_is_one_finding(newcomer: User) -> None:
    text, lines = KEYS["PKCS8"]

    said = redact(newcomer, f"a\n{text}".encode())
    report = json.loads(redact(newcomer, f"a\n{text}".encode(), "--json").stdout)

    assert [line for line in lines if line in said.stdout.decode()] == []
    assert report["findings"] == [{"rule": "private-key", "line": 3, "column": 1}]


@pytest.mark.parametrize("text", [b"", b"na\xefve \x00\x80\r\n", b"\xef\xbb\xbfa\n"])
def test_what_is_no_text_passes_as_it_is(newcomer: User, text: bytes) -> None:
    assert redact(newcomer, text).stdout == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_in_sixteen_bits_is_read_too(newcomer: User, encoding: str) -> None:
    said = redact(newcomer, f"\ufeff{TEXT}".encode(encoding))

    text = said.stdout.decode(encoding)
    assert TOKEN not in text
    assert text.startswith("\ufeffone\n  token: [REDACTED:github-token#")


def test_a_reader_may_go_away(newcomer: User) -> None:
    with subprocess.Popen(
        [SUPERVISOR, "context", "redact"],
        cwd=newcomer.home,
        env=newcomer.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(b"a line\n" * 1000)
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


KINGFISHER: Final = """#!/usr/bin/env python3
import json, sys
assert sys.argv[1:4] == ["scan", "--no-validate", "--no-update-check"], sys.argv
text = sys.stdin.read()
places = [(number, line.find("odd-")) for number, line in enumerate(text.splitlines(), 1)]
found = [
    {"rule": {"id": "odd"}, "finding": {"line": line, "column_start": column}}
    for line, column in places
    if column >= 0
]
print(json.dumps({"findings": found}))
print("more that is no finding")
raise SystemExit(200 if found else 0)
"""


def doubted(user: User, place: Path, text: str, program: str | None) -> tuple[int, str, str]:
    if program is not None:
        place.mkdir()
        (place / "kingfisher").write_text(program)
        (place / "kingfisher").chmod(0o755)
    path = f"{place}:{user.environment['PATH']}"
    calling = replace(user, environment={**user.environment, "PATH": path})
    said = redact(calling, text.encode(), "--check", "--second-opinion")
    return said.returncode, said.stdout.decode(), said.stderr.decode()


def test_somebody_else_may_look_at_the_result(newcomer: User, tmp_path: Path) -> None:
    text = f"{TOKEN}\nan odd-secret\n"
    code, out, _ = doubted(newcomer, tmp_path / "bin", text, KINGFISHER)
    assert (code, out.splitlines()) == (1, ["1:1  github-token", "2:3  kingfisher:odd"])


def test_a_second_opinion_that_is_none_is_said(newcomer: User, tmp_path: Path) -> None:
    code, _, err = doubted(newcomer, tmp_path / "bin", "x", "#!/bin/sh\necho nonsense\n")
    assert code == 6
    assert "cannot be understood" in err
