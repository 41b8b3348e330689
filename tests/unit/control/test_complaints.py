"""The line that says why a program ended."""

from time import process_time

import pytest

from supervisor_ai.control.queries.complaints import telling_line

NODE = """\
file:///opt/codex/bin/codex.js:100
    throw new Error(
          ^

Error: Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install
    at file:///opt/codex/bin/codex.js:100:11
    at ModuleJob.run (node:internal/modules/esm/module_job:263:25) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
"""
CJS = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'yargs'
Require stack:
- /opt/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
  code: 'MODULE_NOT_FOUND',

Node.js v20.20.2
"""
PYTHON = """\
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    import yaml
ModuleNotFoundError: No module named 'yaml'
"""
CHAINED = """\
Traceback (most recent call last):
  File "a.py", line 2, in f
KeyError: 'model'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 9, in <module>
app.errors.SettingsError: no model is set
"""
GO = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47]

goroutine 1 [running]:
main.main()
	/src/main.go:7 +0x20
exit status 2
"""
RUST = """\
thread 'main' panicked at src/main.rs:4:5:
no home directory
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: cannot start
	at app.Main.main(Main.java:5)
Caused by: java.io.FileNotFoundException: settings.yml
	... 1 more
"""
NPM = """\
npm error code ENOENT
npm error syscall open
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory
npm error A complete log of this run can be found in: /root/.npm/_logs/a.log
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (NODE, "Error: Missing optional dependency @openai/codex-linux-x64."),
        (CJS, "Error: Cannot find module 'yargs'"),
        (PYTHON, "ModuleNotFoundError: No module named 'yaml'"),
        (CHAINED, "app.errors.SettingsError: no model is set"),
        (GO, "panic: runtime error: invalid memory address"),
        (RUST, "thread 'main' panicked at src/main.rs:4:5: no home directory"),
        (JAVA, "Caused by: java.io.FileNotFoundException: settings.yml"),
        (NPM, "npm error enoent Could not read package.json"),
        ("TypeError [ERR_UNKNOWN]: x is no function\n    at a\n", "TypeError [ERR_UNKNOWN]: x is"),
        ("bash: line 1: codex: command not found\nbye\n", "bash: line 1: codex: command not found"),
        ("sh: 1: codex: not found\n", "sh: 1: codex: not found"),
        ("./a: cannot execute binary file: Exec format error\n", "./a: cannot execute"),
        (
            "error: unexpected argument '--x'\n\nFor more information, try '--help'.\n",
            "error: unex",
        ),
        ("[ERROR] no key\nstopping\n", "[ERROR] no key"),
        ("fatal: not a git repository\n", "fatal: not a git repository"),
        ("it failed to start\nbye\n", "it failed to start"),
        ("loading\nit is over\n", "it is over"),
        ("  \n\n", ""),
        ("", ""),
    ],
)
def test_the_most_telling_line_is_found(text: str, line: str) -> None:
    assert telling_line(text).startswith(line)
    if not line:
        assert telling_line(text) == ""


@pytest.mark.parametrize(
    "text", ["a." * 100_000, "Error" * 50_000, "thread '" * 40_000, "(\n" * 9999]
)
def test_hostile_words_take_no_time(text: str) -> None:
    begun = process_time()
    assert len(telling_line(text)) <= 1300
    assert process_time() - begun < 5
