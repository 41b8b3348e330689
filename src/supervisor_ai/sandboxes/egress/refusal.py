"""Refused connections and requests: why, and how the client is told."""

from collections.abc import Callable
from typing import Final

from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.engine.ports.sandbox import RefusalSink

NOWHERE: Final = "-"
"""Stands for the host of an attempt that did not get as far as to name one."""

_MOST: Final = 100
_LONGEST: Final = 253
_UNPRINTABLE: Final = "?"


class Refused(Exception):
    """An attempt that is not let through, with a short stable word for the reason."""

    def __init__(
        self,
        reason: str,
        host: str = NOWHERE,
        port: int | None = None,
        *,
        part: str = "",
        answer: tuple[int, object] | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.host = host
        self.port = port
        self.part = part
        """What of a request's body is not let through."""
        self.answer = answer
        """The status and the JSON that tell the client, where its API has errors of its own."""

    def toward(self, host: str, port: int) -> "Refused":
        """Return the same refusal, now that it is known where the attempt wanted to go."""
        return Refused(self.reason, host, port, part=self.part, answer=self.answer)


class Refusals:
    """Tells every distinct refusal once; a worker that tries everything is not told of forever."""

    def __init__(self, sink: RefusalSink, fail: Callable[[Exception], None]) -> None:
        self._sink = sink
        self._fail = fail
        self._told: set[EgressRefusal] = set()

    def tell(self, refused: Refused) -> None:
        """Tell it unless it was told before."""
        refusal = EgressRefusal(
            host=printable(refused.host),
            port=refused.port,
            reason=": ".join(filter(None, (refused.reason, refused.part))),
        )
        if refusal in self._told or len(self._told) >= _MOST:
            return
        self._told.add(refusal)
        try:
            self._sink(refusal)
        except Exception as error:  # noqa: BLE001 - the sink's failure belongs to our caller
            self._fail(error)


def printable(host: str) -> str:
    """Return the host as it may be shown: the worker wrote it."""
    shown = (letter if "!" <= letter <= "~" else _UNPRINTABLE for letter in host[:_LONGEST])
    return "".join(shown) or NOWHERE
