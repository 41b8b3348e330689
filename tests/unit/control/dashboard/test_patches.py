"""Patches are taken apart whatever is in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.control.dashboard.patches import (
    DiffFile,
    FileChangeKind,
    LineSign,
    read_patch,
)
from supervisor_ai.control.dashboard.word_marks import mark_words

MODIFIED = """\
diff --git a/src/a b.py b/src/a b.py
index 1111111..2222222 100644
--- a/src/a b.py\t
+++ b/src/a b.py\t
@@ -1,4 +1,5 @@ def f():
 one
-two = get("token")
-three
+two = get("authorization")
+3
+
 four
@@ -40 +41 @@
-old
\\ No newline at end of file
+new
\\ No newline at end of file
"""
OTHERS = """\
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 1111111..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old.py b/new.py
similarity index 100%
rename from old.py
rename to new.py
diff --git a/picture.png b/picture.png
new file mode 100644
index 0000000..1111111
Binary files /dev/null and b/picture.png differ
diff --git "a/t\\303\\244b\\t.py" "b/t\\303\\244b\\t.py"
new file mode 100644
index 0000000..1111111
--- /dev/null
+++ "b/t\\303\\244b\\t.py"
@@ -0,0 +1,2 @@
+diff --git a/fake b/fake
++++ b/other
diff --git a/empty.py b/empty.py
new file mode 100644
index 0000000..e69de29
"""


def numbered(file: DiffFile) -> list[tuple[str, int | None, int | None]]:
    return [(it.sign.value, it.old, it.new) for hunk in file.hunks for it in hunk.lines]


def test_lines_have_their_numbers_before_and_after() -> None:
    [file] = read_patch(MODIFIED)
    assert (file.path, file.before, file.change) == (
        "src/a b.py",
        "src/a b.py",
        FileChangeKind.MODIFIED,
    )
    assert numbered(file) == [
        (" ", 1, 1),
        ("-", 2, None),
        ("-", 3, None),
        ("+", None, 2),
        ("+", None, 3),
        ("+", None, 4),
        (" ", 4, 5),
        ("-", 40, None),
        ("+", None, 41),
    ]
    assert [hunk.heading for hunk in file.hunks] == ["def f():", ""]
    assert (file.count(LineSign.ADDED), file.count(LineSign.REMOVED)) == (4, 3)


def test_files_come_go_move_and_are_no_text() -> None:
    gone, moved, picture, strange, empty = read_patch(OTHERS)
    assert (gone.path, gone.change) == ("gone.txt", FileChangeKind.DELETED)
    assert (moved.before, moved.path, moved.change) == ("old.py", "new.py", FileChangeKind.RENAMED)
    assert (picture.path, picture.is_binary) == ("picture.png", True)
    assert strange.path == "täb\t.py"
    assert (empty.path, empty.change, empty.hunks) == ("empty.py", FileChangeKind.ADDED, ())


def test_a_line_that_looks_like_a_heading_is_a_line() -> None:
    strange = read_patch(OTHERS)[3]
    assert [line.text for line in strange.hunks[0].lines] == [
        "diff --git a/fake b/fake",
        "+++ b/other",
    ]


def test_lines_beyond_the_bound_are_counted() -> None:
    [file] = read_patch(MODIFIED, most=3)
    assert len(numbered(file)) == 3
    assert file.hidden == 6


def test_controls_and_tabs_do_not_reach_a_screen() -> None:
    patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\t\x1b[2Jb\rc\u202e\n"
    [file] = read_patch(patch)
    assert file.hunks[0].lines[0].text == "a   b c<U+202E>"


@given(st.text(alphabet="+- @\\\nab/,0123456789diff --git", max_size=400))
def test_whatever_is_written_is_read(text: str) -> None:
    files = read_patch(f"diff --git a/x b/x\n{text}")
    assert files[0].path


@given(st.lists(st.tuples(st.sampled_from("+- "), st.text(alphabet="ab\t é", max_size=8))))
def test_no_line_is_lost(lines: list[tuple[str, str]]) -> None:
    olds = sum(sign in "- " for sign, _ in lines)
    news = sum(sign in "+ " for sign, _ in lines)
    body = "\n".join(f"{sign}{text}" for sign, text in lines)
    patch = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,{olds} +1,{news} @@\n{body}\n"
    [file] = read_patch(patch)
    found = [line.sign.value for hunk in file.hunks for line in hunk.lines]
    assert found == [sign for sign, _ in lines]


def test_the_words_that_are_other_ones_are_marked() -> None:
    [file] = read_patch(MODIFIED)
    marks = mark_words(file.hunks)
    marked = {
        line.text: [line.text[start:end] for start, end in marks[id(line)]]
        for hunk in file.hunks
        for line in hunk.lines
        if id(line) in marks
    }
    assert marked == {
        'two = get("token")': ["token"],
        'two = get("authorization")': ["authorization"],
    }


@pytest.mark.parametrize("size", [201, 100_000])
def test_lines_that_are_too_long_are_not_compared(size: int) -> None:
    old, new = ("x " * size).rstrip(), ("x " * (size - 1) + "y")
    patch = f"diff --git a/x b/x\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    [file] = read_patch(patch)
    assert mark_words(file.hunks) == {}


def test_only_so_many_pairs_are_compared() -> None:
    body = "\n".join("-a b c d\n+a b c e" for _ in range(600))
    [file] = read_patch(f"diff --git a/x b/x\n@@ -1,600 +1,600 @@\n{body}\n")
    assert len(mark_words(file.hunks)) == 1000
