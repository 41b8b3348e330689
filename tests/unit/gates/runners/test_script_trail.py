"""Where commands lead, through the scripts of a commit to runners of tests."""

import json
import time

import pytest

from supervisor_ai.gates.runners.scripts.script_trail import ScriptTrail

MAKE = "PY ?= python3\n.PHONY: test\ntest: build\n\t@$(PY) -m pytest -q\nbuild:\n\techo hi\n"


def package(**scripts: str) -> dict[str, str]:
    return {"package.json": json.dumps({"scripts": scripts})}


TESTED = json.dumps({"scripts": {"test": "node --test"}})
MEMBERS = {
    "package.json": json.dumps({"workspaces": ["packages/*"]}),
    "packages/a/package.json": TESTED,
    "packages/b/package.json": json.dumps({"scripts": {"test": "jest"}}),
    "packages/c/package.json": "{}",
    "packages/a/node_modules/x/package.json": json.dumps({"scripts": {"test": "mocha"}}),
}


def trail(command: str | tuple[str, ...], files: dict[str, str]) -> ScriptTrail:
    found = ScriptTrail(files.get, files.keys)
    found.follow(tuple(command.split()) if isinstance(command, str) else command)
    return found


@pytest.mark.parametrize(
    ("command", "files", "runners"),
    [
        ("pytest -q", {}, ["pytest"]),
        (".venv/bin/python3.11 -W error -m pytest", {}, ["pytest"]),
        ("poetry run pytest", {}, ["pytest"]),
        ("env -C a npm run test", {"a/package.json": TESTED}, ["node --test"]),
        ("env --chdir=a A=b make", {"a/Makefile": "t:\n\tpytest\n"}, ["pytest"]),
        ("uv run --directory a pytest", {}, ["pytest"]),
        ("npm --prefix a test", {"a/package.json": TESTED}, ["node --test"]),
        ("npm --prefix=a run test", {"a/package.json": TESTED}, ["node --test"]),
        ("npm run test --workspaces --if-present", MEMBERS, ["node --test", "jest"]),
        ("npm test -w a", MEMBERS, ["node --test", "jest"]),
        ("pnpm -r run test", MEMBERS, ["node --test", "jest"]),
        ("pnpm --filter=a test", MEMBERS, ["node --test", "jest"]),
        ("npm test", MEMBERS, []),
        ("npm --prefix", MEMBERS, []),
        ("uv run --with pytest python x.py", {}, []),
        ("uv run --extra dev python -m pytest -x", {}, ["pytest"]),
        ("python -m coverage run --source x -m pytest", {}, ["pytest"]),
        ("coverage run -m unittest discover", {}, ["unittest"]),
        ("python manage.py test", {}, ["unittest"]),
        ("python runtests.py", {"runtests.py": "import pytest\npytest.main([])"}, ["pytest"]),
        ("make test", {"Makefile": MAKE}, ["pytest"]),
        ("make", {"Makefile": MAKE.replace("test: build", "test:")}, ["pytest"]),
        ("make build", {"Makefile": MAKE}, []),
        ("make test", {"Makefile": MAKE, "GNUmakefile": "test:\n\tgo test ./...\n"}, ["go test"]),
        ("make -C sub check", {"sub/Makefile": "check: ; pytest\n"}, ["pytest"]),
        ("make -f other.mk t", {"other.mk": "t:\n\t$(MAKE) u\nu:\n\tpytest\n"}, []),
        ("make t", {"Makefile": "include x.mk\n", "x.mk": "t:\n\tcargo test\n"}, ["cargo test"]),
        ("make t RUN=jest", {"Makefile": "t:\n\t$(RUN) --ci\n"}, ["jest"]),
        ("npm test", package(test="npm run lint && npm run unit", unit="c8 mocha"), ["mocha"]),
        ("npm t", package(pretest="vitest run", test="true"), ["vitest"]),
        ("yarn test", package(test="NODE_OPTIONS=--x cross-env A=b jest"), ["jest"]),
        ("yarn jest --ci", {}, ["jest"]),
        ("pnpm exec vitest run", {}, ["vitest"]),
        ("npx ava", {}, ["ava"]),
        ("npm test", package(test="tsc && node --enable-source-maps --test dist"), ["node --test"]),
        ("node node_modules/.bin/jest", {}, ["jest"]),
        ("node test.js", {"test.js": "const t = require('tape')"}, ["tap"]),
        ("./run.sh", {"run.sh": "#!/bin/bash\npytest 2>&1 | tee pytest.log\n"}, ["pytest"]),
        ("scripts/test", {"scripts/test": "#!/usr/bin/env sh\nexec pytest\n"}, ["pytest"]),
        ("tox", {"tox.ini": "[testenv]\ndeps =\n  pytest\ncommands =\n  pytest -q\n"}, ["pytest"]),
        ("tox", {"tox.ini": "[testenv]\ndeps =\n  pytest\ncommands = ruff check\n"}, []),
        ("nox", {"noxfile.py": "session.run('pytest', '-q', *args)"}, ["pytest"]),
        ("cargo +nightly nextest run", {}, ["cargo nextest"]),
        ("cargo llvm-cov", {}, ["cargo test"]),
        ("cargo build", {}, []),
        ("go vet ./...", {}, []),
        ("mvn -B verify", {}, ["maven"]),
        ("./gradlew :app:test", {}, ["gradle"]),
        ("ctest --output-on-failure", {}, ["ctest"]),
        (("sh", "-c", "if command -v pytest; then echo pytest; fi"), {}, []),
        (("bash", "-ec", "pip install pytest && which jest # mocha"), {}, []),
        (("sh", "-c", "cd web && npm test"), {}, []),
        ("true", {}, []),
        (
            ("sh", "-c", "pytest -q | tail -5 && go test ./... 2>&1 | tee x"),
            {},
            ["pytest", "go test"],
        ),
        (("sh", "-c", "tape t.js | tap-spec; go test ./... > x.log"), {}, []),
        (("sh", "-c", "pytest > x.log"), {}, ["pytest"]),
        (("sh", "-c", "go test ./... 2>/dev/null"), {}, ["go test"]),
        ("mvn -q test", {}, []),
        ("tox -p", {"tox.ini": "[testenv]\ncommands = pytest\n"}, []),
    ],
)
def test_runners_are_found(
    command: str | tuple[str, ...], files: dict[str, str], runners: list[str]
) -> None:
    assert list(trail(command, files).runners) == runners


def test_a_folder_is_entered() -> None:
    web = {f"web/{path}": text for path, text in package(test="jest").items()}
    assert list(trail(("sh", "-c", "cd web && npm test"), web).runners) == ["jest"]
    assert list(trail(("sh", "-c", "cd ../web && npm test"), web).runners) == []


@pytest.mark.parametrize(
    ("command", "files", "is_idle"),
    [
        ("make test", {"Makefile": "test:\n"}, True),
        ("make test", {"Makefile": "test:\n\t@true\n"}, True),
        ("make test", {"GNUmakefile": "test: ; @echo 7 passed in 0.1s\n"}, True),
        ("npm test", package(test='echo "no test specified" && exit 0'), True),
        ("./t.sh", {"t.sh": "#!/bin/sh\nset -e\n:\n"}, True),
        ("make test", {"Makefile": "test: x\nx:\n\tcc x.c\n"}, False),
        ("make test", {"Makefile": MAKE}, False),
        ("make other", {"Makefile": "test:\n"}, False),
        (("sh", "-c", "true"), {}, False),
        ("true", {}, False),
    ],
)
def test_scripts_that_do_nothing_are_found(
    command: str | tuple[str, ...], files: dict[str, str], *, is_idle: bool
) -> None:
    assert trail(command, files).is_idle is is_idle


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("make a", {"Makefile": "a: b\n\t$(MAKE) a\nb: a\n\tmake b\n"}),
        ("make a", {"Makefile": "X = $(X)$(X)\na:\n\t$(X)\n"}),
        ("make a", {"Makefile": "include Makefile\na:\n\tx\n"}),
        ("make a", {"Makefile": "a" * 200_000 + ":\n"}),
        ("make a", {"Makefile": ("a " * 4000 + ": " + "b " * 4000 + "\n\ty\n") * 20}),
        ("npm test", package(test="npm test; npm test")),
        ("npm test", {"package.json": "[" * 100_000}),
        ("npm test", {"package.json": '{"scripts": {"test": 5}}'}),
        ("./a", {"a": "#!/bin/sh\n" + "./a 'x\n" * 5_000}),
        ("./a", {"a": "#!/bin/sh\n" + "\n".join(f"sh -c 'sh ./a {n}'" for n in range(3_000))}),
        ("tox", {"tox.ini": "commands =" + "\n  a" * 50_000}),
        ("nox", {"noxfile.py": "session.run(" * 20_000}),
    ],
)
def test_hostile_scripts_come_to_an_end(command: str, files: dict[str, str]) -> None:
    started = time.process_time()
    trail(command, files)
    assert time.process_time() - started < 5
