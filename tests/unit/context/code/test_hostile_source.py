from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.example_counts import examples

from supervisor_ai.context.code.imports import ImportIndex
from supervisor_ai.context.code.outline import outline, public_api

ENDINGS = ("py", "ts", "tsx", "js", "go", "rs", "java")
PIECES = (
    *("(", ")", "{", "}", "[", "]", "<", ">", '"', "'", "`", "${", "\\", "\n", " ", "\t", ";"),
    *("::", ".", ",", ":", "=", "#", "//", "/*", "*/", "@", "\0", "\ud800", "é"),
    *("import ", "from ", "export ", "use ", "mod ", "class ", "def ", "func ", "fn ", "pub "),
    *("package ", "type ", "struct ", "impl ", "for ", "if ", "else", "try:", "a", "B", "1", "*"),
)
broken_code = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
bytes_as_text = st.binary(max_size=200).map(lambda raw: raw.decode("utf-8", "replace"))


@settings(max_examples=examples(100))
@given(text=st.one_of(broken_code, bytes_as_text), ending=st.sampled_from(ENDINGS))
def test_no_text_makes_the_reader_fail(text: str, ending: str) -> None:
    path = f"src/a.{ending}"
    configurations = ("tsconfig.json", "package.json", "Cargo.toml", "go.mod")
    files = {name: (lambda: text) for name in (path, *configurations)}
    assert outline(path, text) is not None
    assert public_api(path, text) is not None
    assert set(ImportIndex(files).resolve(path)) <= set(files)


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("py", "-" * 200_000 + "1"),
        ("py", "a" + ".b" * 100_000),
        ("py", "if x:\n pass\n" + "elif x:\n pass\n" * 5_000),
        ("ts", "\"'" * 100_000),
        ("rs", "use a::{" * 20_000),
    ],
)
def test_hostile_text_is_given_up_in_time(ending: str, text: str) -> None:
    before = process_time()
    assert outline(f"a.{ending}", text) is not None
    assert process_time() - before < 20
