"""The names of files, written as a tree."""

from collections import Counter
from collections.abc import Iterable


def whole_tree(paths: Iterable[str]) -> str:
    """Write every path, each directory once."""
    lines: list[str] = []
    before: tuple[str, ...] = ()
    parent = None
    for path in sorted(paths):
        above, slash, last = path.rpartition("/")
        if slash and above == parent:
            lines.append(f"{'  ' * len(before)}{_parts(last)[0]}")
            continue
        parent = above
        *directories, name = _parts(path)
        same = _same(before, tuple(directories))
        lines += [f"{'  ' * depth}{directories[depth]}/" for depth in range(same, len(directories))]
        lines.append(f"{'  ' * len(directories)}{name}")
        before = tuple(directories)
    return "\n".join(lines)


def folded_tree(paths: Iterable[str], depth: int) -> str:
    """Write the directories down to a depth, with the number of files in each and below."""
    counts: dict[str, int] = {}
    for above, number in Counter(path.rpartition("/")[0] for path in paths).items():
        parent = "/".join(_parts(above)[:depth]) if above else ""
        counts[f"{parent}/"] = counts.get(f"{parent}/", 0) + number
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
