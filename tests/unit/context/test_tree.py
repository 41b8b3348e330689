"""Names of files as a tree: the same as if every path were taken apart."""

from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.context.tree import folded_tree, whole_tree

PART = st.sampled_from(["a", "b", "a b", "c\nd", "-", "A"])
PATHS = st.sets(st.lists(PART, min_size=1, max_size=4).map("/".join))


def taken_apart(path: str) -> list[str]:
    return path.replace("\n", " ").split("/")


@given(PATHS)
def test_every_path_is_written_and_each_directory_once(paths: set[str]) -> None:
    lines: list[str] = []
    before: list[str] = []
    for *directories, name in map(taken_apart, sorted(paths)):
        pairs = zip(before, directories, strict=False)
        same = next((at for at, (one, two) in enumerate(pairs) if one != two), None)
        same = min(len(before), len(directories)) if same is None else same
        lines += [f"{'  ' * at}{directories[at]}/" for at in range(same, len(directories))]
        lines.append(f"{'  ' * len(directories)}{name}")
        before = directories
    assert whole_tree(paths) == "\n".join(lines)


@given(PATHS, st.integers(1, 4))
def test_the_files_of_each_directory_are_counted(paths: set[str], depth: int) -> None:
    counts: dict[str, int] = {}
    for path in paths:
        parent = "/".join(taken_apart(path)[:-1][:depth]) + "/"
        counts[parent] = counts.get(parent, 0) + 1
    expected = [f"{directory} ({count} files)" for directory, count in sorted(counts.items())]
    assert folded_tree(paths, depth) == "\n".join(expected)
