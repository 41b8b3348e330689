"""What a person asks for who wants a session to be watched over."""

from msgspec import Struct

from supervisor_ai.domain.ids import SessionId


class SpecFile(Struct, frozen=True, kw_only=True):
    """The file of a supervisor: front matter, and the checks of each checkpoint."""

    file: str
    text: str


class WantedSupervisor(Struct, frozen=True, kw_only=True):
    """What a resident supervisor is to pin, as far as a person says so."""

    session: SessionId
    recovery: bool = False
    cli: str | None = None
    """Who judges; None: as configured."""
    is_alone: bool = False
    """Whether nobody judges, and what text does not decide is noted."""
    spec: SpecFile | None = None
    """Which checkpoints there are; None: the built-in ones."""
