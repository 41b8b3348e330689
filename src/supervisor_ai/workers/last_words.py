"""What a command that nobody knows says when it ends badly."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from supervisor_ai.domain.run.diagnosis import Diagnosis
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.tools.complaints import telling_line
from supervisor_ai.workers.clis.causes import Table, Testimony
from supervisor_ai.workers.clis.evidence import Evidence
from supervisor_ai.workers.clis.judgement import judge

_TAIL: Final = 2_000
_NO_NETWORK: Final = re.compile(
    r"name resolution|resolve host|getaddrinfo|EAI_AGAIN|\bENOTFOUND|ENETUNREACH|ECONNREFUSED"
    r"|network is unreachable|connection refused",
    re.IGNORECASE,
)
_HOW_TO_REACH: Final = (
    " It seems to need the network. A worker reaches only what its list allows:"
    " `egress: [host:port]` at its CLI or its role, in the configuration."
)


def diagnose_exit(code: int, stdout: str, stderr: str, now: datetime) -> Diagnosis:
    """Say why it ended with such a code, first in the line that tells most.

    What it prints on stdout is its answer, and may speak of any error in the world; it counts only
    where there is nothing else.
    """
    said = stderr if stderr.strip() else stdout
    evidence = Evidence(exit_code=code, stdout="", stderr=said, now=now)
    found = judge(Testimony(), evidence, Table()).diagnosis
    needs_network = _NO_NETWORK.search(said[-_TAIL:]) is not None
    telling = telling_line(said)
    first = f"The worker exited with code {code}{f': {telling}' if telling else '.'}"
    first += _HOW_TO_REACH if needs_network else ""
    tail = "\n".join(filter(str.strip, (stdout[-_TAIL:], stderr[-_TAIL:])))
    message = f"{first}\n\nThe end of its output:\n{tail}" if tail else first
    if needs_network:
        return replace(found, message=message, category=FailureCategory.NETWORK, action=None)
    return replace(found, message=message)
