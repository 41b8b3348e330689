"""Where each two of several commits parted, found by one walk instead of one question a pair."""

from collections.abc import Iterator, Mapping, Sequence

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.workspaces.repositories.git import Git

Pair = tuple[CommitSha, CommitSha]


def find_parting(git: Git, commits: Sequence[CommitSha]) -> Mapping[Pair, str]:
    """Say where commits parted, by pairs in order; a pair is left out unless it is one place."""
    wanted = sorted(set(commits))
    reply = git.ask("merge-base", "--octopus", *wanted)
    if reply.code != 0:
        return {}
    since = "".join(f"{it}\n" for it in (*wanted, f"^{reply.text}")).encode()
    walked = git.run("rev-list", "--parents", "--topo-order", "--stdin", stdin=since).lines
    rows = [*walked, reply.text]
    met = _met([row.split() for row in rows], wanted)
    return {pair: places[0] for pair, places in met.items() if len(places) == 1}


def _met(rows: Sequence[Sequence[str]], commits: Sequence[CommitSha]) -> dict[Pair, list[str]]:
    """Return the newest places that each two commits have in common; children come first."""
    reached = {str(commit): 1 << number for number, commit in enumerate(commits)}
    above: dict[str, set[int]] = {}
    met: dict[Pair, list[str]] = {}
    for place, *parents in rows:
        mask, children = reached[place], above.get(place, set())
        if mask not in children:
            for pair, bits in _pairs(mask, commits):
                if not any(bits & child == bits for child in children):
                    met.setdefault(pair, []).append(place)
        for parent in parents:
            reached[parent] = reached.get(parent, 0) | mask
            above.setdefault(parent, set()).add(mask)
    return met


def _pairs(mask: int, commits: Sequence[CommitSha]) -> Iterator[tuple[Pair, int]]:
    """Return the pairs of commits that reach a place, each with its bits."""
    there = [number for number in range(len(commits)) if mask >> number & 1]
    for index, one in enumerate(there):
        for other in there[index + 1 :]:
            yield (commits[one], commits[other]), 1 << one | 1 << other
