import subprocess
import sys
from textwrap import dedent

import pytest

from supervisor_ai.context.code.language import SourceLanguage, language
from supervisor_ai.context.code.outline import outline, public_api
from supervisor_ai.context.code.syntax_tree import MAX_SOURCE

PYTHON = '''
import os
from a import b
LIMIT = 3
_TABLE = {"a": "aaaaaaaaaaaaaaaaaaaaaaaaaaa", "b": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "c": "c"}
@cache
def run(x: int, *, y: str = "") -> bool:
    """Say.

    More.
    """
    secret = 1
    return True
def _hidden(): ...
class Thing(Base):
    """A thing."""
    size: int = 1
    def __init__(self, a): self._a = a
    def go(self): return 1
    def _stay(self): return 2
'''
TYPESCRIPT = """
import { a } from "./a.js";
/** Adds. */
export function add(x: number, y: number): number { const secret = 1; return x + y; }
export const twice = (x: number): number => { return secret; };
function hidden(): void { secret(); }
function later() { secret(); }
export { later };
export class Box<T> extends Base {
  #own = 1;
  private inner = 2;
  public size = 3;
  get(key: string): T { return secret; }
  protected stay(): void {}
}
export interface Shape { area(): number; name: string }
export default class extends Box {}
export * from "./more.js";
"""
GO = """
package gin
import "fmt"
// Run runs.
func Run(a int) error { secret(); return nil }
func hidden() {}
type Engine struct {
	Name string
	inner int
}
type Doer interface { Do(x int) error }
func (e *Engine) Start() { secret() }
func (e *engine) Start() { secret() }
const Max = 3
var low = 1
"""
RUST = """
use std::fmt;
/// A glob.
#[derive(Debug)]
pub struct Glob { pub text: String, inner: u8 }
struct Hidden;
impl Glob {
    /// Makes one.
    pub fn new(text: &str) -> Glob { secret() }
    fn stay(&self) {}
}
impl fmt::Display for Glob { fn fmt(&self) {} }
impl fmt::Display for Hidden { fn fmt(&self) {} }
pub trait Go { fn go(&self) -> u8; }
pub(crate) fn near() { secret() }
pub enum Kind { A, B(u8) }
pub const MAX: usize = 3;
#[macro_export]
macro_rules! glob { ($x:expr) => { secret($x) } }
#[cfg(test)]
mod tests { fn checked() {} }
"""
JAVA = """
package com.x;
import java.util.List;
/** Reads. */
public final class Gson {
  private final int inner = 1;
  public static final String NAME = "x";
  /** Makes one. */
  public Gson() { secret(); }
  public <T> T read(List<T> list) { return secret(); }
  void near() {}
}
interface Hidden { void go(); }
"""


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        (
            "a.py",
            PYTHON,
            [
                "import os",
                "LIMIT = 3",
                "_TABLE = ...",
                "@cache def run(x: int, *, y: str='') -> bool: ...",
                "    # Say.",
                "class Thing(Base):",
                "    def _stay(self): ...",
            ],
        ),
        (
            "a.ts",
            TYPESCRIPT,
            [
                'import { a } from "./a.js"',
                "export function add(x: number, y: number): number",
                "    // Adds.",
                "function hidden(): void",
                "    private inner = 2",
                "    get(key: string): T",
            ],
        ),
        (
            "a.go",
            GO,
            ["func Run(a int) error", "    // Run runs.", "type Engine struct", "    inner int"],
        ),
        (
            "a.rs",
            RUST,
            [
                "use std::fmt",
                "pub struct Glob",
                "    // A glob.",
                "    inner: u8",
                "    pub fn new(text: &str) -> Glob",
                "mod tests",
            ],
        ),
        (
            "A.java",
            JAVA,
            ["import java.util.List", "public final class Gson", "    private final int inner = 1"],
        ),
    ],
)
def test_an_outline_holds_signatures_and_no_bodies(path: str, text: str, lines: list[str]) -> None:
    found = outline(path, text)
    assert found is not None
    assert set(lines) <= set(found.splitlines()), found
    assert "secret" not in found
    assert "checked" not in found


@pytest.mark.parametrize(
    ("path", "text", "api"),
    [
        (
            "a.py",
            PYTHON,
            """
            LIMIT = 3
            @cache def run(x: int, *, y: str='') -> bool: ...
                # Say.
            class Thing(Base):
                # A thing.
                size: int = 1
                def __init__(self, a): ...
                def go(self): ...
            """,
        ),
        (
            "a.ts",
            TYPESCRIPT,
            """
            export function add(x: number, y: number): number
                // Adds.
            export const twice = (x: number): number =>
            function later()
            export { later }
            export class Box<T> extends Base
                public size = 3
                get(key: string): T
            export interface Shape
                area(): number
                name: string
            export default class extends Box
            export * from "./more.js"
            """,
        ),
        (
            "a.go",
            GO,
            """
            func Run(a int) error
                // Run runs.
            type Engine struct
                Name string
            type Doer interface
                Do(x int) error
            func (e *Engine) Start()
            const Max = 3
            """,
        ),
        (
            "a.rs",
            RUST,
            """
            pub struct Glob
                // A glob.
                pub text: String
            impl Glob
                pub fn new(text: &str) -> Glob
                    // Makes one.
            impl fmt::Display for Glob
            pub trait Go
                fn go(&self) -> u8
            pub enum Kind
                A
                B(u8)
            pub const MAX: usize = 3
            macro_rules! glob
            """,
        ),
        (
            "A.java",
            JAVA,
            """
            public final class Gson
                // Reads.
                public static final String NAME = "x"
                public Gson()
                    // Makes one.
                public <T> T read(List<T> list)
            """,
        ),
    ],
)
def test_the_public_api_is_what_others_may_use(path: str, text: str, api: str) -> None:
    assert public_api(path, text) == dedent(api).lstrip("\n")


def test_a_list_of_names_has_the_last_word() -> None:
    text = "from .a import A, B\n__all__ = ['A', '_c']\ndef _c(): ...\ndef d(): ...\n"
    assert public_api("p/__init__.py", text) == "from .a import A, B\ndef _c(): ...\n"


def test_a_package_passes_on_what_it_imports_from_itself() -> None:
    text = "import os\nfrom .a import A\nfrom b import c as c\n"
    assert public_api("p/__init__.py", text) == "from .a import A\nfrom b import c as c\n"


@pytest.mark.parametrize("broken", ["type X[T] = list[T]\n", "def broken(:\n", "\0\n"])
def test_python_that_the_interpreter_refuses_is_read_all_the_same(broken: str) -> None:
    text = f'class Thing:\n    """Says."""\n    def go(self, a): return 1\nLIMIT = 3\n{broken}'
    found = outline("a.py", text)
    assert found is not None
    assert "class Thing:\n    # Says.\n    def go(self, a):\nLIMIT = 3\n" in found


def test_broken_code_is_read_as_far_as_it_goes() -> None:
    found = outline("a.go", "package a\nfunc Good(x int) {}\nfunc Bad(( {\n")
    assert found is not None
    assert "func Good(x int)" in found


def test_what_a_javascript_module_exports_is_public() -> None:
    text = "function a() {}\nfunction b() {}\nmodule.exports = { a };\n"
    assert public_api("a.js", text) == "function a()\nmodule.exports = { a }\n"


def test_a_huge_file_is_cut_and_says_so() -> None:
    text = "x = 1\n" + "#" * MAX_SOURCE
    for ask in (outline, public_api):
        assert ask("a.py", text) == "x = 1\n# (cut: 6 characters not read)\n"


def test_an_unknown_language_has_no_outline() -> None:
    assert outline("a.txt", "x") is None
    assert public_api("a.txt", "x") is None


def test_the_language_is_told_by_the_ending() -> None:
    assert language("a/b.PY") is SourceLanguage.PYTHON
    assert language("a.d.ts") is SourceLanguage.TYPESCRIPT
    assert language("Makefile") is None


def test_reading_python_needs_no_tree_sitter() -> None:
    code = (
        "import sys\n"
        "from supervisor_ai.context.code import imports, outline\n"
        "outline.outline('a.py', 'x = 1')\n"
        "assert 'tree_sitter' not in sys.modules\n"
        "outline.outline('a.go', 'package a')\n"
        "assert 'tree_sitter' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
