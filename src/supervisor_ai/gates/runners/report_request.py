"""How runners are asked for reports: by variables that reach them through any script, or by words.

Only in the reader's process, because it looks at the scripts of a commit.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import count
from typing import Final

from supervisor_ai.control.ports.commits import CommitFile, Commits
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.engine.ports.gates import ReportQuestion, ReportRequest
from supervisor_ai.gates.runners.scripts.programs import program
from supervisor_ai.gates.runners.scripts.script_trail import ReadText, ScriptTrail

REPORTS: Final = "SUPERVISOR_REPORTS"
PART: Final = "SUPERVISOR_PART"
_SHELL: Final = ("sh", "-c")
_MOVED: Final = re.compile(r"(?<![^;&\s])env -C [\w./-]+ ")
_NODE: Final = frozenset({"node", "npm", "npx", "pnpm", "yarn", "bun", "corepack"})
_NODE_RUNNERS: Final = frozenset({"jest", "vitest", "mocha", "node --test"})
_LARGEST_SCRIPT: Final = 256 * 1024
_MOST_SCRIPTS: Final = 60
_PYTEST: Final = ("-o", "junit_family=xunit1", "-o", "junit_logging=no")
_ALL_OF_PYTEST: Final = ("--continue-on-collection-errors", "--maxfail=0")
_ALL_WORDS: Final = {
    "cargo test": ("test", "--no-fail-fast"),
    "cargo nextest": ("run", "--no-fail-fast"),
}


def make_request(question: ReportQuestion, commits: Commits) -> ReportRequest:
    """Find out which runners a command leads to, and how to ask them for reports."""
    trail = ScriptTrail(
        _reader(commits, question.commit),
        lambda: (file.path for file in commits.list(question.commit)),
    )
    trail.follow(question.command)
    request = ReportRequest(
        argv=question.command,
        runners=tuple(trail.runners),
        is_idle=trail.is_idle,
        root=question.root,
    )
    return request if question.place is None else _asking(request, question, trail)


def _reader(commits: Commits, commit: CommitSha) -> ReadText:
    """Read small files of a commit by their paths, which are listed when the first is wanted."""
    known: dict[str, str | None] = {}
    listed: dict[str, CommitFile] = {}

    def read(path: str) -> str | None:
        if path not in known and len(known) < _MOST_SCRIPTS:
            if not listed:
                listed.update((file.path, file) for file in commits.list(commit))
            file = listed.get(path)
            found = [] if file is None or file.size > _LARGEST_SCRIPT else [file]
            texts = [contents.decode(errors="replace") for _, contents in commits.read(found)]
            known[path] = texts[0] if texts else None
        return known.get(path)

    return read


def _asking(request: ReportRequest, question: ReportQuestion, trail: ScriptTrail) -> ReportRequest:
    place = question.place or ""
    words = frozenset(word for started in trail.words for word in started)
    set_before = question.environment
    environment = {}
    if not any("no:junitxml" in word for word in words):
        asked = (f"--junitxml={place}/pytest{_part(question.command)}.xml", *_PYTEST)
        every: tuple[str, ...] = _ALL_OF_PYTEST if question.keeps_going else ()
        every = ("-x",) if question.stops_early else every
        environment["PYTEST_ADDOPTS"] = _added(set_before, "PYTEST_ADDOPTS", (*asked, *every))
    programs: tuple[str, ...] = ()
    if _is_of_node(trail):
        programs = (_shipped("node_reports.cjs"), _shipped("node_test_reporter.cjs"))
        is_own = any(word.startswith("--test-reporter") for word in words)
        asks_node = "node --test" in request.runners and not is_own
        options = " ".join(_node_options(programs, place, asks_node=asks_node))
        before = set_before.get("NODE_OPTIONS", "")
        environment |= {REPORTS: place, "NODE_OPTIONS": f"{before} {options}".strip()}
    argv = _said_more(question, request.runners)
    if _part(argv):
        argv = (*_SHELL, _numbered(argv[2]), *argv[3:])
    if "go test" in request.runners and argv == question.command:
        environment["GOFLAGS"] = f"{set_before.get('GOFLAGS', '')} -v".strip()
    return ReportRequest(
        argv=argv,
        environment=environment,
        programs=programs,
        runners=request.runners,
        is_idle=request.is_idle,
        root=request.root,
    )


def _part(argv: tuple[str, ...]) -> str:
    """Return what differs in the names of reports; pytest puts in what a variable says."""
    is_parted = argv[:2] == _SHELL and _MOVED.search("".join(argv[2:3])) is not None
    return f"${PART}" if is_parted else ""


def _numbered(script: str) -> str:
    """Let each part of a project that runs in a directory of its own write its own report."""
    numbers = count(1)
    return _MOVED.sub(lambda found: f"{found[0]}{PART}=-{next(numbers)} ", script)


def _added(before: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    return f"{before.get(name, '')} {shlex.join(words)}".strip()


def _is_of_node(trail: ScriptTrail) -> bool:
    started = {program(words[0]) for words in trail.words}
    return bool(started & _NODE) or not _NODE_RUNNERS.isdisjoint(trail.runners)


def _shipped(name: str) -> str:
    return str(files("supervisor_ai.gates") / "builtin" / name)


def _node_options(programs: tuple[str, ...], place: str, *, asks_node: bool) -> Iterator[str]:
    """Yield options as node splits them: in double quotes, with backslashes, as JSON does."""
    yield f"--require={json.dumps(programs[0], ensure_ascii=False)}"
    if asks_node:
        for reporter, target in (("spec", "stdout"), (programs[1], f"{place}/node.out")):
            yield f"--test-reporter={json.dumps(reporter, ensure_ascii=False)}"
            yield f"--test-reporter-destination={json.dumps(target, ensure_ascii=False)}"


def _said_more(question: ReportQuestion, runners: tuple[str, ...]) -> tuple[str, ...]:
    """Add to a command that is itself a runner what makes it name its tests."""
    argv = list(question.command)
    if "unittest" in runners and "-m" in argv and not {"-v", "--verbose"} & set(argv):
        _put_in(argv, "discover" if "discover" in argv else "unittest", "-v")
    if program(argv[0]) == "go" and not {"-v", "-json", "-v=true", "-c"} & set(argv):
        _put_in(argv, "test", "-v")
    if question.stops_early:
        _put_in(argv, "discover" if "discover" in argv else "unittest", "-f")
        if program(argv[0]) == "go":
            _put_in(argv, "test", "-failfast")
    for runner, (after, word) in _ALL_WORDS.items():
        if question.keeps_going and runner in runners and program(argv[0]) == "cargo":
            _put_in(argv, after, word)
    return tuple(argv)


def _put_in(argv: list[str], after: str, word: str) -> None:
    if after in argv and word not in argv:
        argv.insert(argv.index(after) + 1, word)
