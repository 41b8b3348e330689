"""Every attempt by its number, and the page that lists them."""

import sys
from collections.abc import Iterator, Mapping
from typing import Final

from tests.attacks.attempt import Attempt
from tests.attacks.attempts import (
    egress,
    files,
    git,
    kernel,
    network,
    processes,
    resources,
    results,
)

ATTEMPTS: Final[Mapping[int, Attempt]] = dict(
    enumerate(
        (
            *files.ATTEMPTS,
            *processes.ATTEMPTS,
            *kernel.ATTEMPTS,
            *network.ATTEMPTS,
            *resources.ATTEMPTS,
            *egress.ATTEMPTS,
            *git.ATTEMPTS,
            *results.ATTEMPTS,
        ),
        start=1,
    )
)

NOT_COVERED: Final[Mapping[str, str]] = {
    "28": "Domain fronting: what a tunnel carries inside TLS is invisible to a proxy that does not"
    " end it. Inherent; the broker, which ends it, has attempts of its own.",
    "52": "A container that survives its client belongs to podman and docker, and is tried with"
    " them.",
    "53": "A forged exit code or test report of the code under test: inherent. A gate must not"
    " trust files that the worker wrote.",
    "54": "Unknown faults of the kernel and side channels of the processor: out of scope for"
    " namespaces.",
    "55": "Clock, entropy, graphics, sound and window systems: their sockets and devices are like"
    " those that attempts look for; nothing else of them is tried.",
}
"""Rows of the attack list that have no attempt, and why."""

_HEAD: Final = """# Attempts to get out

What a hostile worker would try, each run for real against the product: by root, and by an ordinary
user with a home of its own. None may succeed. Each is then run once more with exactly its
protection taken away, and there it has to succeed: an attempt that could never work proves nothing.
Where a protection has several layers, all of them are taken away for that, and further tests show
that without any single one the others still stop it.

- `attempts/` holds the tables: what is tried, the program that tries it, how one sees that it
  worked, and the layers that stop it.
- `field.py` makes the attempts, in a process inside namespaces that the tests make themselves
  (`outer.py`: network, processes, mounts, host name). Every address that an attempt aims at, the
  metadata address and the public hosts included, belongs to that network namespace, and so does
  every name: no packet can leave it. Bombs are a few dozen processes or MiB, and their limits are
  as small.
- `guards.py` takes a protection away. An option of bubblewrap is changed by a program that stands
  in for it (`loose_bwrap.py`); a rule of the system call filter in the assembled program
  (`filter_rules.py`); a limit or a list in the request; what the host does with care is replaced
  by what a script would do. Kernel settings are only ever opened, never written.

"Fact" is the row of the attack list in the design documents. The table is printed by
`python -m tests.attacks.table`, and a test compares it with this page.

"""


def page() -> str:
    """Write the page."""
    return _HEAD + "\n".join([*_rows(), "", "## Not covered", "", *_gaps()]) + "\n"


def _rows() -> Iterator[str]:
    yield "| # | the worker … | stopped by | fact | proven able to fail by |"
    yield "|---:|---|---|---|---|"
    for number, attempt in ATTEMPTS.items():
        proof = "; ".join(layer.how for layer in attempt.layers)
        yield f"| {number} | {attempt.what} | {attempt.protection} | {attempt.fact} | {proof} |"


def _gaps() -> Iterator[str]:
    for row, reason in NOT_COVERED.items():
        yield f"- Row {row}. {reason}"


if __name__ == "__main__":
    sys.stdout.write(page())
