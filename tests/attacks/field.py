"""Where the attempts happen: a process in namespaces of its own that obeys line after line.

A line is `{"number": N, "removed": [layers]}`; the answer is `{"succeeded": …, "detail": …}`, or
`{"error": …}` where the attempt could not be made.
"""

import fcntl
import json
import os
import socket
import struct
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Final

from tests.attacks.scene import Scene
from tests.attacks.table import ATTEMPTS

from supervisor_ai.workspaces.files.removal import remove

_GET_FLAGS: Final = 0x8913
_UP: Final = 1


def obey(base: Path, number: int, removed: frozenset[int]) -> dict[str, object]:
    """Make one attempt in a place of its own."""
    attempt = ATTEMPTS[number]
    place = Path(tempfile.mkdtemp(dir=base))
    place.chmod(0o755)
    try:
        with Scene(place, int(os.environ["FIRST_USER"])) as scene:
            outcome = attempt.perform(scene, attempt.guards(removed))
    except Exception:  # noqa: BLE001 - whatever it is, the test that asked reports it
        return {"error": traceback.format_exc()}
    else:
        return {"succeeded": outcome.succeeded, "detail": outcome.detail}
    finally:
        remove(place)


def live_interfaces() -> list[str]:
    """List the network interfaces that are up; a new namespace may have more that never are."""
    with socket.socket() as asking:
        names = [name for _, name in socket.if_nameindex()]
        return [name for name in names if _flags(asking, name) & _UP]


def _flags(asking: socket.socket, name: str) -> int:
    answer = fcntl.ioctl(asking, _GET_FLAGS, struct.pack("16sH14x", name.encode(), 0))
    flags: int = struct.unpack_from("H", answer, 16)[0]
    return flags


def main() -> None:
    """Obey, but only where no packet can leave."""
    if (interfaces := live_interfaces()) != ["lo"]:
        sys.exit(f"field: this network leads somewhere: {interfaces}")
    base = Path(os.environ["HOME"])
    # What the product may print is not the answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        order = json.loads(line)
        answer = obey(base, order["number"], frozenset(order["removed"]))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
