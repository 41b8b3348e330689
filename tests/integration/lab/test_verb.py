"""`supervisor lab` as a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot
from tests.e2e.command import Said
from tests.integration.lab.client import ask
from tests.support.preloaded import Preloaded
from tests.support.processes import PATIENCE, Owned

from supervisor_ai.cli.main import supervisor
from supervisor_ai.lab.service import names

SUPERVISOR = Path(sys.executable).with_name("supervisor")


class Shell:
    """Calls the command in a process that has imported everything."""

    def __init__(self, preloaded: Preloaded) -> None:
        self._preloaded = preloaded

    def __call__(self, where: Path, *arguments: str) -> Said:
        code, out, err = self._preloaded.call(
            arguments, directory=where, environment=os.environ, seconds=PATIENCE
        )
        return Said(code=code, out=out, err=err)


@pytest.fixture
def call(preloaded: Preloaded) -> Shell:
    return Shell(preloaded)


@contextmanager
def serving(where: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    with Owned(
        [SUPERVISOR, "lab", "serve", *arguments],
        cwd=where,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout
        finally:
            process.kill()


def written(call: Shell, where: Path, name: str) -> str:
    (where / f"{name}.yaml").write_text(call(where, "lab", "example", name).out)
    return f"{name}.yaml"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_stopped(call: Shell, tmp_path: Path, number: signal.Signals) -> None:
    script = written(call, tmp_path, "edit")
    with serving(tmp_path, script, "--json", "--log", "log.jsonl") as (process, stdout):
        told = json.loads(stdout.readline())
        reply = ask(told["url"], "anthropic")
        process.send_signal(number)
        _, narration = process.communicate(timeout=PATIENCE)
    assert (process.returncode, reply.status) == (0, 200)
    assert reply.json["content"][1]["name"] == "Write"
    assert "Stopped after 1 requests." in narration
    assert "200 anthropic m scenarios[2].turns[0]" in narration
    logged = json.loads((tmp_path / "log.jsonl").read_text())
    assert (logged["dialect"], logged["body"]["model"]) == ("anthropic", "m")


def test_it_says_how_to_point_each_cli_at_it(call: Shell, tmp_path: Path) -> None:
    script = written(call, tmp_path, "edit")
    with serving(tmp_path, script) as (process, stdout):
        first = stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = stdout.read()
    url = first.split()[4]
    for line in (
        f"export ANTHROPIC_BASE_URL={url}",
        f"export GOOGLE_GEMINI_BASE_URL={url}",
        f"""-c 'model_providers.lab={{name="lab",base_url="{url}/v1",env_key="LAB_KEY",""",
        f"      upstream: {url}",
        '      header: "x-api-key: ${LAB_KEY}"',
    ):
        assert line in rest


def test_every_mistake_is_told_with_file_line_and_key(call: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("""\
scenarios:
  - match: "("
    turns:
      - text: 3
      - status: 500
        hang: 1
sides: x
""")
    said = call(tmp_path, "lab", "serve", "bad.yaml")
    assert said.code == 2
    assert said.err == snapshot("""\
error: The definitions have 4 mistakes:
  bad.yaml:2: scenarios[0].match: is not a regular expression: missing ), unterminated subpattern \
at position 0
  bad.yaml:4: scenarios[0].turns[0].text: must be text, found 3
  bad.yaml:5: scenarios[0].turns[1]: a turn does one thing, but this one has status and hang
  bad.yaml:7: sides: unknown key; did you mean 'side'?
hint: See: supervisor lab example
""")


def test_json_has_lines_as_well(call: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('[\n  {"text": "a"},\n  {"txt": "b"}\n]\n')
    said = call(tmp_path, "lab", "serve", "bad.json", "--json")
    assert said.code == 2
    assert "bad.json:3: [1].txt: unknown key" in json.loads(said.out)["error"]["message"]


@pytest.mark.parametrize(
    ("name", "text", "words", "code"),
    [
        ("a.yaml", "a: [", "is not valid YAML", 2),
        ("a.yaml", "- &a {text: b}\n- *a\n", "a.yaml:2: [1]: is an alias", 2),
        ("a.json", '{"a": NaN}', "a.json:1: is not valid JSON: NaN is not a JSON number", 2),
        ("a.yaml", "\udcff", "The script 'a.yaml' cannot be read", 2),
        ("a.yaml", None, "There is no script 'a.yaml'.", 3),
    ],
)
def test_a_file_that_is_no_script(
    call: Shell, tmp_path: Path, name: str, text: str | None, words: str, code: int
) -> None:
    if text is not None:
        (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    said = call(tmp_path, "lab", "serve", name)
    assert said.code == code
    assert words in said.err


def test_a_directory_is_no_script(call: Shell, tmp_path: Path) -> None:
    assert call(tmp_path, "lab", "serve", ".").code == 2


def test_the_script_is_looked_for_where_c_says(call: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("- txt: b\n")
    said = call(Path("/"), "-C", str(tmp_path), "lab", "serve", "a.yaml")
    assert "[0].txt: unknown key" in said.err


def test_a_port_that_is_taken_is_told(call: Shell, tmp_path: Path) -> None:
    script = written(call, tmp_path, "edit")
    with serving(tmp_path, script, "--json") as (_, stdout):
        port = json.loads(stdout.readline())["url"].rpartition(":")[2]
        said = call(tmp_path, "lab", "serve", script, "--port", port)
    assert said.code == 6
    assert f"The port {port} of 127.0.0.1 cannot be taken" in said.err


def test_examples_are_listed(call: Shell, tmp_path: Path) -> None:
    said = call(tmp_path, "lab", "example", "--json")
    assert [it["name"] for it in json.loads(said.out)["examples"]] == list(names())
    listed = call(tmp_path, "lab", "example").out.splitlines()
    assert [line.split()[0] for line in listed if not line.startswith(" ")] == list(names())
    assert call(tmp_path, "lab", "example", "none").code == 3
    one = json.loads(call(tmp_path, "lab", "example", "stall", "--json").out)
    assert one["script"].startswith("# A stall")


def test_the_page_of_serve() -> None:
    result = CliRunner().invoke(supervisor, ["lab", "serve", "--help"], terminal_width=100)
    assert result.output == snapshot("""\
Usage: supervisor lab serve [OPTIONS] SCRIPT

  Answer agents as a script says, until stopped

  Speaks Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini on 127.0.0.1, and
  prints how to point each CLI, or supervisor's broker, at it. Scripts are YAML or JSON; status
  codes, limits, broken streams and stalls are part of them. Requests are told on stderr. Ctrl-C
  stops it.

  Example:
    supervisor lab serve limit.yaml --port 8000

Options:
  --port INTEGER RANGE  Listen on this port of 127.0.0.1, not on any free one.  [0<=x<=65535]
  --log FILE            Add every request to this file, one JSON object per line; keys are left out.
  --json                Print JSON on stdout.
  -h, --help            Show this message and exit.
""")
