"""The names of files, written as a tree."""

from collections.abc import Iterable


def whole_tree(paths: Iterable[str]) -> str:
    """Write every path, each directory once."""
    lines: list[str] = []
    before: tuple[str, ...] = ()
    for path in sorted(paths):
        *directories, name = _parts(path)
        same = _same(before, tuple(directories))
        lines += [f"{'  ' * depth}{directories[depth]}/" for depth in range(same, len(directories))]
        lines.append(f"{'  ' * len(directories)}{name}")
        before = tuple(directories)
    return "\n".join(lines)


def folded_tree(paths: Iterable[str], depth: int) -> str:
    """Write the directories down to a depth, with the number of files in each and below."""
    counts: dict[str, int] = {}
    for path in paths:
        parent = "/".join(_parts(path)[:-1][:depth])
        counts[f"{parent}/"] = counts.get(f"{parent}/", 0) + 1
    return "\n".join(f"{directory} ({count} files)" for directory, count in sorted(counts.items()))


def _parts(path: str) -> tuple[str, ...]:
    # A line break in a name must not look like another name.
    return tuple(path.replace("\n", " ").split("/"))


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    pairs = zip(one, other, strict=False)
    return next(
        (depth for depth, (left, right) in enumerate(pairs) if left != right),
        min(len(one), len(other)),
    )
