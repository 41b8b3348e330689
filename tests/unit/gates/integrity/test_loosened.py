"""Settings of linters and type checkers that ask for less are found; what asks for more passes."""

import pytest

from supervisor_ai.domain.run.gates import Area, Finding, Severity
from supervisor_ai.gates.integrity.change_sides import FileSides
from supervisor_ai.gates.integrity.protected_files.loosened import loosened_settings


def found(*files: tuple[str, str | None, str | None], may: tuple[Area, ...] = ()) -> list[Finding]:
    sides = [
        FileSides(
            path=path,
            before=None if old is None else old.encode(),
            after=None if new is None else new.encode(),
        )
        for path, old, new in files
    ]
    return list(loosened_settings(sides, may))


def errors(path: str, old: str | None, new: str | None) -> bool:
    seen = found((path, old, new))
    assert all(each.rule == "lint_loosened" for each in seen)
    return any(each.severity is Severity.ERROR for each in seen)


RUFF = "[tool.ruff.lint]\nselect = ['E', 'F']\nignore = ['E501']\n"
MYPY = "[mypy]\nstrict = True\nwarn_return_any = True\n"
TYPES = '{\n  // strict\n  "compilerOptions": {"strict": true, "noUnusedLocals": true,},\n}\n'
RULES = '{"rules": {"eqeqeq": "error", "no-eval": ["error", {"a": 1}]}}\n'
FLAT = 'export default [{ rules: { eqeqeq: "error", "no-eval": ["error"] } }];\n'
GO = "linters:\n  enable:\n    - errcheck\n    - govet\n"
CARGO = '[lints.clippy]\nunwrap_used = "deny"\npedantic = {level = "warn", priority = -1}\n'


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pyproject.toml", RUFF, RUFF.replace("'E501'", "'E501', 'F401'")),
        ("pyproject.toml", RUFF, RUFF.replace("'E', 'F'", "'E'")),
        ("pyproject.toml", RUFF, RUFF + "per-file-ignores = {'src/a.py' = ['F']}\n"),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy]\nstrict = false\n"),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy]\n"),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n",
         "[tool.mypy]\nstrict = true\n[[tool.mypy.overrides]]\nignore_errors = true\n"),
        ("pyproject.toml", "[tool.pyright]\ntypeCheckingMode = 'strict'\n",
         "[tool.pyright]\ntypeCheckingMode = 'basic'\n"),
        ("ruff.toml", "lint.select = ['E']\n", "lint.select = []\n"),
        ("mypy.ini", MYPY, MYPY + "ignore_errors = True\n"),
        ("mypy.ini", MYPY, "[mypy]\nstrict = True\nwarn_return_any = False\n"),
        ("mypy.ini", MYPY, None),
        ("mypy.ini", MYPY, "no section\n"),
        (".flake8", "[flake8]\nmax-line-length = 100\n", "[flake8]\nextend-ignore = F401\n"),
        ("setup.cfg", "[flake8]\nmax-line-length = 100\n", "[flake8]\nignore = F401\n"),
        (".pylintrc", "[MESSAGES CONTROL]\ndisable=C0114\n",
         "[MESSAGES CONTROL]\ndisable=C0114,E1101\n"),
        ("tsconfig.json", TYPES, TYPES.replace('"strict": true', '"strict": false')),
        ("tsconfig.json", TYPES, TYPES.replace('"strict": true, ', "")),
        ("tsconfig.json", TYPES, TYPES.replace('"strict"', '"skipLibCheck": true, "strict"')),
        ("web/tsconfig.app.json", TYPES, TYPES.replace("true,}", 'true, "noImplicitAny": false}')),
        (".eslintrc.json", RULES, RULES.replace('"eqeqeq": "error"', '"eqeqeq": "off"')),
        (".eslintrc.json", RULES, RULES.replace('["error", {', '["warn", {')),
        (".eslintrc.json", RULES, RULES.replace("{}", "").replace("}}", ', "no-undef": 0}}')),
        (".eslintrc.yml", "rules:\n  eqeqeq: error\n", "rules:\n  eqeqeq: 'off'\n"),
        ("eslint.config.js", FLAT, FLAT.replace('eqeqeq: "error"', 'eqeqeq: "off"')),
        ("eslint.config.mjs", FLAT, FLAT.replace('["error"]', "0")),
        ("package.json", '{"eslintConfig": {"rules": {"a": 2}}}',
         '{"eslintConfig": {"rules": {"a": 0}}}'),
        (".golangci.yml", GO, GO.replace("    - govet\n", "")),
        (".golangci.yml", GO, GO + "  disable-all: true\n"),
        (".golangci.yml", GO, GO + "issues:\n  exclude-rules:\n    - linters: [errcheck]\n"),
        ("Cargo.toml", CARGO, CARGO.replace('"deny"', '"allow"')),
        ("Cargo.toml", CARGO, CARGO.replace('level = "warn"', 'level = "allow"')),
        ("Cargo.toml", "", '[workspace.lints.rust]\nunused = "allow"\n'),
    ],
)  # fmt: skip
def test_what_asks_for_less(path: str, old: str, new: str | None) -> None:
    assert errors(path, old, new)
    assert found((path, old, new), may=(Area.GATES,)) == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pyproject.toml", RUFF, RUFF.replace("'E', 'F'", "'E', 'F', 'B'")),
        ("pyproject.toml", RUFF, RUFF.replace("'E501'", "")),
        ("pyproject.toml", RUFF, RUFF + "per-file-ignores = {'tests/*' = ['S101']}\n"),
        ("pyproject.toml", RUFF, RUFF + "[project]\nname = 'a'\n"),
        ("mypy.ini", MYPY, "[mypy]\nstrict = True\n"),
        ("mypy.ini", MYPY, MYPY + "[mypy-yaml.*]\nignore_missing_imports = True\n"),
        (".flake8", "[flake8]\nexclude = .git\n", "[flake8]\nexclude = .git,build\n"),
        ("tsconfig.json", TYPES, TYPES.replace('"strict"', '"target": "es2022", "strict"')),
        ("tsconfig.json", TYPES, TYPES.replace("true,}", 'true, "noImplicitAny": true}')),
        (".eslintrc.json", RULES, RULES.replace("}}}", "")),
        (".eslintrc.json", RULES, RULES.replace("}}", ', "no-undef": "error"}}')),
        ("eslint.config.js", FLAT, FLAT.replace("rules", "files: ['src/**'], rules")),
        (".golangci.yml", GO, GO + "    - staticcheck\n"),
        ("Cargo.toml", CARGO, CARGO.replace('"deny"', '"forbid"')),
        ("Cargo.toml", CARGO, CARGO.replace('unwrap_used = "deny"\n', "")),
        ("ruff.toml", None, "lint.ignore = ['E501']\n"),
        ("src/a.py", "a = 1\n", "b = 1\n"),
    ],
)
def test_what_asks_for_as_much(path: str, old: str | None, new: str) -> None:
    assert not errors(path, old, new)


def test_settings_that_move_to_another_file_are_not_lost() -> None:
    assert found((".eslintrc.json", RULES, None))[0].message.startswith("'.eslintrc.json' was del")
    moved = found((".eslintrc.json", RULES, None), ("eslint.config.js", None, FLAT))
    assert all(each.severity is Severity.NOTE for each in moved)


def test_what_is_too_much_counts_as_unreadable() -> None:
    large = "\n".join(f"a{number} = 1" for number in range(60_000))
    assert errors("ruff.toml", "lint.select = ['E']\n", f"{'a.' * 3000}b = 1\n{large}")
