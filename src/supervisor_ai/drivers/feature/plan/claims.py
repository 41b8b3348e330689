"""The files that components claim, and which claims cannot be held at the same time.

A claim is a path, a directory (`src/auth/`) or a pattern (`src/**/*.py`). Two claims overlap where
one file could belong to both; a path whose name has no suffix may be a directory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

_WILD: Final = frozenset("*?[")
_ANYTHING: Final = "**"


def is_pattern(claim: str) -> bool:
    """Tell whether a claim names files by a pattern."""
    return not _WILD.isdisjoint(claim)


def normal(claim: str) -> str:
    """Write a claim in the one way in which it is compared."""
    parts = [it for it in claim.split("/") if it not in ("", ".")]
    if claim.endswith("/") and parts[-1:] != [_ANYTHING]:
        parts.append(_ANYTHING)
    return "/".join(parts)


def overlap(one: str, other: str) -> bool:
    """Tell whether one file could belong to both claims; in doubt it could."""
    return _meet(_parts(one), _parts(other))


def undeclared(claims: Sequence[str], paths: Iterable[str]) -> tuple[str, ...]:
    """Name the paths that belong to no claim; a path is never read as a pattern."""
    known = [_parts(claim) for claim in claims]
    return tuple(
        path
        for path in paths
        if path not in claims
        and (is_pattern(path) or not any(_meet(claim, path.split("/")) for claim in known))
    )


def _parts(claim: str) -> tuple[str, ...]:
    """Take a claim apart; what may be a directory has all that lies below it."""
    parts = tuple(normal(claim).split("/"))
    is_file = is_pattern(parts[-1]) or "." in parts[-1][1:]
    return parts if is_file else (*parts, _ANYTHING)


def _meet(one: Sequence[str], other: Sequence[str]) -> bool:
    """Compare part by part."""
    return _walk(one, other, _ANYTHING, _match)


def _match(one: str, other: str) -> bool:
    """Tell whether two parts of paths could be the same; a class of characters is any character."""
    if not is_pattern(one) and not is_pattern(other):
        return one == other
    return _meet_letters(_letters(one), _letters(other))


def _letters(part: str) -> str:
    """Read a class of characters as any one of them."""
    head, bracket, rest = part.partition("[")
    inside, closing, tail = rest[1:].partition("]")
    del inside
    return f"{head}?{_letters(tail)}" if bracket and closing else part


def _meet_letters(one: str, other: str) -> bool:
    """Compare letter by letter."""
    return _walk(one, other, "*", lambda it, that: "?" in (it, that) or it == that)


def _walk(
    one: Sequence[str], other: Sequence[str], star: str, is_same: Callable[[str, str], bool]
) -> bool:
    """Walk through both patterns at once: which ends of the other does each beginning allow."""
    allowed = _with_stars(other, star, {0})
    for it in one:
        if it == star:
            allowed = set(range(min(allowed), len(other) + 1))
        else:
            moved = {
                at if other[at] == star else at + 1
                for at in allowed
                if at < len(other) and (other[at] == star or is_same(it, other[at]))
            }
            allowed = _with_stars(other, star, moved)
        if not allowed:
            return False
    return len(other) in allowed


def _with_stars(pattern: Sequence[str], star: str, places: set[int]) -> set[int]:
    """Add the places that are reached where a star stands for nothing."""
    reached = set(places)
    for at in places:
        after = at
        while after < len(pattern) and pattern[after] == star:
            after += 1
            reached.add(after)
    return reached


class Territory:
    """Which locks files need, so that two claims share a lock exactly where they overlap."""

    def __init__(self, claims: Iterable[str]) -> None:
        known = frozenset(map(normal, claims))
        self._claims = known
        self._patterns = tuple((it, _head(it)) for it in sorted(filter(is_pattern, known)))
        self._locks: dict[str, set[str]] = {claim: {claim} for claim in known}
        for claim in known:
            for wider in self._wider(claim):
                shared = f"{min(claim, wider)} & {max(claim, wider)}"
                self._locks[claim].add(shared)
                self._locks[wider].add(shared)

    def _wider(self, path: str) -> Iterator[str]:
        """Name the other claims to which a path could belong."""
        yield from (it for it in _above(path) if it in self._claims and overlap(it, path))
        here = _head(path)
        for pattern, head in self._patterns:
            is_near = here.startswith(head) or head.startswith(here)
            if is_near and pattern != path and overlap(pattern, path):
                yield pattern

    def locks(self, claims: Iterable[str]) -> frozenset[str]:
        """Name what a component needs that claims these."""
        return frozenset(lock for claim in claims for lock in self._locks[normal(claim)])

    def touched(self, files: Iterable[str]) -> frozenset[str]:
        """Name what a component has taken that wrote these files, claimed or not."""
        paths = frozenset(map(normal, files))
        return paths.union(*(self._wider(path) for path in paths))


def _head(claim: str) -> str:
    """Name the directories before the first part of a claim that is a pattern."""
    return "".join(f"{it}/" for it in takewhile(lambda it: not is_pattern(it), claim.split("/")))


def _above(path: str) -> Iterator[str]:
    """Name the directories in which a path lies."""
    parts = path.split("/")[:-1]
    for length in range(1, len(parts) + 1):
        yield "/".join(parts[:length])
