from functools import partial

import pytest

from supervisor_ai.context.code.imports import ImportIndex


def index(files: dict[str, str]) -> ImportIndex:
    return ImportIndex({path: partial(str, text) for path, text in files.items()})


PYTHON = {
    "src/app/__init__.py": "from .web import run",
    "src/app/web.py": "import os\nfrom app import store\nfrom app.store import T\nimport app.web",
    "src/app/store/__init__.py": "from . import table, missing",
    "src/app/store/table.py": "from ..web import run\ntype X[T] = T\nfrom ....far import x\n",
    "tests/test_web.py": "def t():\n    if 1:\n        from app.web import run\n",
}
SCRIPT = {
    "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
    "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@lib/*": ["lib/*"]}}}',
    "web/tsconfig.json": '{ // settings\n "extends": "../tsconfig.base", }',
    "web/app.tsx": 'import a from "./a.js"; import b from "@lib/b"; export * from "kit/deep";\n'
    'import kit from "kit"; const c = require("./c"); import("./d"); import "react";',
    "web/a.ts": "",
    "web/c/index.js": 'import x from "#own";',
    "web/d.mts": "",
    "lib/b.ts": "",
    "web/package.json": '{"name": "web", "imports": {"#own": "./own.ts"}}',
    "web/own.ts": "",
    "packages/kit/package.json": '{"name": "kit", "exports": {".": {"import": "./dist/index.js"},'
    ' "./*": {"types": "./dist/*.d.ts"}}}',
    "packages/kit/src/index.ts": "",
    "packages/kit/src/deep.ts": "",
}
GO = {
    "go.mod": "module example.com/app\nreplace example.com/other v1.0.0 => ./other\n",
    "main.go": 'package main\nimport (\n"fmt"\n"example.com/app/web"\no "example.com/other/x"\n'
    '"example.com/tool"\n"lib.org/v"\n)\n',
    "web/a.go": "",
    "web/b.go": "",
    "web/a_test.go": "",
    "other/x/x.go": "",
    "tool/go.mod": "module example.com/tool\n",
    "tool/tool.go": "",
    "go.work": "use ./tool\n",
    "vendor/lib.org/v/v.go": "",
}
RUST = {
    "Cargo.toml": '[package]\nname = "app"\n[[bin]]\npath = "crates/app/main.rs"\n'
    '[dependencies]\nshort = { package = "my-kit", path = "crates/kit" }\n',
    "crates/app/main.rs": "mod args;\nmod deep { mod low; }\nuse short::glob::Glob;\n"
    'use std::fmt;\n#[path = "odd.rs"]\nmod even;\n',
    "crates/app/args.rs": "use crate::even::X; use super::deep;\n"
    "mod tests { use super::*; }\nfn f() { my_kit::free() }\n",
    "crates/app/deep/low.rs": "",
    "crates/app/odd.rs": "",
    "crates/kit/Cargo.toml": '[package]\nname = "my-kit"\n',
    "crates/kit/src/lib.rs": "pub mod glob; pub use self::{glob::{Glob as G, self}, other::*};",
    "crates/kit/src/glob/mod.rs": "mod part; use part::P;",
    "crates/kit/src/glob/part.rs": "use super::Glob; use super::super::other;",
    "crates/kit/src/other.rs": "",
}
JAVA = {
    "m/src/main/java/com/x/A.java": "package com.x;\nimport com.x.y.B;\nimport com.x.z.*;\n"
    "import static com.x.y.S.run;\nimport java.util.List;\nclass A { C c; D d; List l; }",
    "m/src/main/java/com/x/C.java": "package com.x; class C {}",
    "m/src/main/java/com/x/y/B.java": "",
    "m/src/main/java/com/x/y/S.java": "",
    "m/src/main/java/com/x/z/D.java": "",
    "m/src/main/java/com/x/z/E.java": "",
    "m/src/test/java/com/x/ATest.java": "package com.x; class ATest { void t() { A.run(); } }",
}


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        (PYTHON, "src/app/__init__.py", ["src/app/web.py"]),
        (PYTHON, "src/app/web.py", ["src/app/store/__init__.py"]),
        (
            PYTHON,
            "src/app/store/__init__.py",
            ["src/app/store/table.py"],
        ),
        (PYTHON, "src/app/store/table.py", ["src/app/web.py"]),
        (PYTHON, "tests/test_web.py", ["src/app/web.py"]),
        (
            SCRIPT,
            "web/app.tsx",
            [
                *("web/a.ts", "lib/b.ts", "packages/kit/src/deep.ts", "packages/kit/src/index.ts"),
                *("web/c/index.js", "web/d.mts"),
            ],
        ),
        (SCRIPT, "web/c/index.js", ["web/own.ts"]),
        (
            GO,
            "main.go",
            ["web/a.go", "web/b.go", "other/x/x.go", "tool/tool.go", "vendor/lib.org/v/v.go"],
        ),
        (
            RUST,
            "crates/app/main.rs",
            [
                *("crates/app/args.rs", "crates/app/deep/low.rs", "crates/kit/src/glob/mod.rs"),
                "crates/app/odd.rs",
            ],
        ),
        (RUST, "crates/app/args.rs", ["crates/app/main.rs", "crates/kit/src/lib.rs"]),
        (RUST, "crates/kit/src/lib.rs", ["crates/kit/src/glob/mod.rs", "crates/kit/src/other.rs"]),
        (
            RUST,
            "crates/kit/src/glob/part.rs",
            ["crates/kit/src/glob/mod.rs", "crates/kit/src/other.rs"],
        ),
        (
            JAVA,
            "m/src/main/java/com/x/A.java",
            [f"m/src/main/java/com/x/{name}.java" for name in ("y/B", "z/D", "y/S", "C")],
        ),
        (JAVA, "m/src/test/java/com/x/ATest.java", ["m/src/main/java/com/x/A.java"]),
    ],
)
def test_imports_lead_to_files(files: dict[str, str], path: str, expected: list[str]) -> None:
    assert list(index(files).resolve(path)) == expected


def test_only_what_is_asked_for_is_read() -> None:
    read: list[str] = []

    def reader(path: str) -> str:
        read.append(path)
        return PYTHON[path]

    asked = ImportIndex({path: partial(reader, path) for path in PYTHON})
    asked.resolve("tests/test_web.py")
    asked.resolve("tests/test_web.py")
    assert read == ["tests/test_web.py"]


def test_what_is_no_source_or_not_there_imports_nothing() -> None:
    assert index({"a.txt": "import b"}).resolve("a.txt") == ()
    assert index({}).resolve("a.py") == ()


@pytest.mark.parametrize("broken", ["{", "[1]", "[" * 100_000, '{"compilerOptions": 3}'])
def test_a_broken_configuration_hides_only_itself(broken: str) -> None:
    files = dict.fromkeys(("tsconfig.json", "package.json", "Cargo.toml"), broken)
    files |= {"a.ts": 'import "./b"; import "kit"', "b.ts": "", "c.rs": "mod d;", "d.rs": ""}
    assert index(files).resolve("a.ts") == ("b.ts",)


def test_configurations_that_extend_each_other_come_to_an_end() -> None:
    files = {"tsconfig.json": '{"extends": "./tsconfig.json"}', "a.ts": 'import "x"'}
    assert index(files).resolve("a.ts") == ()
