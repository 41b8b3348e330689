"""The reader of imports: five languages, and what leads out of the repository."""

import json
from collections.abc import Mapping

import pytest

from supervisor_ai.context.code.import_reader import is_external, prepare, serve


def read(files: Mapping[str, str], wanted: list[str]) -> dict[str, list[list[object]]]:
    prepare()
    task = json.dumps({"paths": sorted(files), "wanted": wanted}).encode()
    said = serve(task, lambda question: files[json.loads(question)].encode())
    found: dict[str, list[list[object]]] = json.loads(said)
    return found


def test_imports_lead_to_files_also_to_those_that_are_only_planned() -> None:
    files = {
        "models/user.py": "",
        "api/auth.py": "from models.user import User\nimport redis, json\n",
        "web/Login.tsx": "import { login } from './api'\nimport React from 'react'\n",
        "web/api.ts": "",
        "package.json": '{"dependencies": {"react": "1"}}',
    }
    found = read(files, ["api/auth.py", "web/Login.tsx"])
    assert found["api/auth.py"] == [
        ["models.user User", ["models/user.py"], False],
        ["redis", [], False],
        ["json", [], True],
    ]
    assert found["web/Login.tsx"] == [["./api", ["web/api.ts"], False], ["react", [], True]]


@pytest.mark.parametrize(
    ("path", "name", "named", "external"),
    [
        ("a.py", "os.path join", "", True),
        ("a.py", "redis_lib x", "redis-lib>=1", True),
        ("a.py", "redis", "redis-lib", False),
        ("a.go", "net/http", "", True),
        ("a.go", "example.com/x", "", False),
        ("a.go", "example.com/x", "require example.com/x v1", True),
        ("A.java", "java.util.List", "", True),
        ("A.java", "org.slf4j.Logger", "<groupid>org.slf4j</groupid>", True),
        ("a.rs", "std::io", "", True),
        ("a.rs", "serde::Serialize", "", False),
        ("a.ts", "node:fs", "", True),
        ("a.ts", "path", "", True),
        ("a.ts", "@scope/pkg/deep", '"@scope/pkg": "1"', True),
        ("a.ts", "other/deep", "", False),
    ],
)
def test_what_a_language_or_a_named_package_has_is_external(
    path: str, name: str, named: str, *, external: bool
) -> None:
    assert is_external(path, name, named) is external
