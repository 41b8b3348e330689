"""A ledger and artifacts that count what is asked of them."""

from collections.abc import Iterator, Sequence

from supervisor_ai.domain.envelope import Envelope
from supervisor_ai.domain.ids import ArtifactHash, StreamId
from supervisor_ai.engine.ports.artifacts import Artifacts, ArtifactWriter
from supervisor_ai.engine.ports.ledger import Batch, EventLog, Head


class CountingLog:
    """Passes everything on, and counts transactions and facts."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.appends = 0
        self.events = 0
        """How many facts were read."""

    def append(self, batch: Batch) -> tuple[Envelope, ...]:
        self.appends += 1
        return self._log.append(batch)

    def read(
        self, stream: StreamId, *, after: int = 0, upto: int | None = None
    ) -> Iterator[Envelope]:
        for envelope in self._log.read(stream, after=after, upto=upto):
            self.events += 1
            yield envelope

    def read_all(self, *, after: int = 0, limit: int = 1000) -> Sequence[Envelope]:
        return self._log.read_all(after=after, limit=limit)

    def head(self) -> Head:
        return self._log.head()


class CountingArtifacts:
    """Artifacts of which somebody counts how many are read, and how often the disk is synced."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts
        self.reads = 0
        self.batches = 0

    def put(self, text: str) -> ArtifactHash:
        return self._artifacts.put(text)

    def put_all(self, texts: Sequence[str]) -> tuple[ArtifactHash, ...]:
        self.batches += 1
        return self._artifacts.put_all(texts)

    def get(self, artifact: ArtifactHash) -> str:
        self.reads += 1
        return self._artifacts.get(artifact)

    def writer(self) -> ArtifactWriter:
        return self._artifacts.writer()

    def erase(self, artifact: ArtifactHash) -> None:
        self._artifacts.erase(artifact)
