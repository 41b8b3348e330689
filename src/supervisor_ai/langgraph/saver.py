"""A checkpoint saver of LangGraph whose only storage is our ledger."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)

from supervisor_ai.bootstrap.graphs import open_threads
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.quality.thread_desk import ThreadDesk
from supervisor_ai.drivers.quality.threads import (
    ThreadDeleted,
    ThreadNamespace,
    ThreadStateSaved,
    ThreadValue,
    ThreadWrite,
    ThreadWritesSaved,
)
from supervisor_ai.langgraph.blobs import read_blob, write_blob

PendingWrites = list[tuple[str, str, Any]]
_VALUES: Final = "channel_values"


class LedgerSaver(BaseCheckpointSaver[str]):
    """Keeps threads as streams of facts; the values lie beside the ledger, each once.

    Every state is synced to disk before LangGraph goes on. Secrets are taken out before anything
    is kept, so that a graph which is resumed goes on without them.
    """

    def __init__(self, desk: ThreadDesk) -> None:
        super().__init__()
        self._desk = desk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the ledger."""
        self._desk.close()

    def get_next_version(self, current: str | None, channel: None) -> str:  # type: ignore[explicit-override]
        """Name the next version of a channel, so that no other way from the same state has it."""
        del channel
        number = 0 if current is None else int(current.partition(".")[0])
        return f"{number + 1:016}.{token_hex(8)}"

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:  # type: ignore[explicit-override]
        """Return a state by its name, or the newest of its thread."""
        thread, namespace, name = _place(config)
        at = self._desk.thread(thread).namespace(namespace)
        name = name or max(at.states, default="")
        saved = at.states.get(name)
        return None if saved is None else self._tuple(thread, at, saved)

    def list(  # type: ignore[explicit-override]
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's own name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """List the states of a thread, the newest first; without one, of all threads."""
        found = self._found(config, None if before is None else get_checkpoint_id(before))
        wanted = (filter or {}).items()
        fitting = (
            it for it in found if all(it.metadata.get(key) == value for key, value in wanted)
        )
        return islice(fitting, limit)

    def put(  # type: ignore[explicit-override]
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a state, with the channels that are new since its parent."""
        thread, namespace, parent = _place(config)
        values = checkpoint[_VALUES]
        head = {key: value for key, value in checkpoint.items() if key != _VALUES}
        about = get_checkpoint_metadata(config, metadata)
        there = [channel for channel in new_versions if channel in values]
        texts = self._kept(head, about, *(values[channel] for channel in there))
        named = dict(zip(there, texts[2:], strict=True))
        fact = ThreadStateSaved(
            namespace=namespace,
            state=checkpoint["id"],
            parent=parent or None,
            head=texts[0],
            about=texts[1],
            values=tuple(
                ThreadValue(channel=channel, version=str(version), text=named.get(channel))
                for channel, version in new_versions.items()
            ),
        )
        self._desk.add(thread, fact)
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(  # type: ignore[explicit-override]
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save what a task wrote, before the step that it belongs to is over."""
        thread, namespace, name = _place(config)
        texts = self._kept(*(value for _, value in writes))
        fact = ThreadWritesSaved(
            namespace=namespace,
            state=name,
            task=task_id,
            path=task_path,
            writes=tuple(
                ThreadWrite(index=WRITES_IDX_MAP.get(channel, index), channel=channel, text=text)
                for index, ((channel, _), text) in enumerate(zip(writes, texts, strict=True))
            ),
        )
        self._desk.add(thread, fact)

    def delete_thread(self, thread_id: str) -> None:  # type: ignore[explicit-override]
        """Let nobody go on with a thread; its facts stay in the ledger."""
        if self._desk.thread(thread_id).namespaces:
            self._desk.add(thread_id, ThreadDeleted())

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:  # type: ignore[explicit-override]
        """Return a state, without holding up others."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(  # type: ignore[explicit-override]
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's own name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """List states, without holding up others."""

        def listed() -> tuple[CheckpointTuple, ...]:
            return tuple(self.list(config, filter=filter, before=before, limit=limit))

        for it in await asyncio.to_thread(listed):
            yield it

    async def aput(  # type: ignore[explicit-override]
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a state, without holding up others."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(  # type: ignore[explicit-override]
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save what a task wrote, without holding up others."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:  # type: ignore[explicit-override]
        """Let nobody go on with a thread, without holding up others."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    def _found(
        self, config: RunnableConfig | None, before: str | None
    ) -> Iterator[CheckpointTuple]:
        asked = {} if config is None else config["configurable"]
        threads = self._desk.names() if config is None else iter((_place(config)[0],))
        for thread in threads:
            namespaces = dict(self._desk.thread(thread).namespaces)
            for namespace, at in namespaces.items():
                if asked.get("checkpoint_ns", namespace) != namespace:
                    continue
                wanted = asked.get("checkpoint_id")
                for name in sorted(at.states, reverse=True):
                    is_earlier = before is None or name < before
                    if is_earlier and wanted in {None, name}:
                        yield self._tuple(thread, at, at.states[name])

    def _tuple(self, thread: str, at: ThreadNamespace, saved: ThreadStateSaved) -> CheckpointTuple:
        head: dict[str, Any] = self._value(saved.head)
        versions = head["channel_versions"].items()
        texts = {channel: at.text_of(channel, str(version)) for channel, version in versions}
        values = {name: self._value(text) for name, text in texts.items() if text is not None}
        parent = None
        if saved.parent is not None:
            parent = _config(thread, saved.namespace, saved.parent)
        return CheckpointTuple(
            config=_config(thread, saved.namespace, saved.state),
            checkpoint=cast("Checkpoint", {**head, _VALUES: values}),
            metadata=self._value(saved.about),
            parent_config=parent,
            pending_writes=self._writes(at, saved.state),
        )

    def _writes(self, at: ThreadNamespace, state: str) -> PendingWrites:
        written = sorted(
            at.written(state), key=lambda it: writes_sort_key(it.path, it.task, it.write.index)
        )
        return [(it.task, it.write.channel, self._value(it.write.text)) for it in written]

    def _kept(self, *values: object) -> tuple[ArtifactHash, ...]:
        redact = self._desk.redacted
        return self._desk.keep([write_blob(self.serde.dumps_typed(it), redact) for it in values])

    def _value(self, text: ArtifactHash) -> Any:  # noqa: ANN401 - whatever the graph's state holds
        return self.serde.loads_typed(read_blob(self._desk.text(text)))


def open_saver(project: str | Path = ".") -> LedgerSaver:
    """Open the ledger of the project in which a directory lies, for the threads of graphs."""
    return LedgerSaver(open_threads(Path(project)))


def _place(config: RunnableConfig) -> tuple[str, str, str]:
    """Name the thread, the graph in it, and the state; nothing: the newest one."""
    asked: Mapping[str, Any] = config.get("configurable") or {}
    thread = asked.get("thread_id")
    if thread is None:
        raise InvalidInput(
            "The graph's thread has no name.",
            hint='Give it one: {"configurable": {"thread_id": "…"}}',
        )
    return str(thread), asked.get("checkpoint_ns", ""), get_checkpoint_id(config) or ""


def _config(thread: str, namespace: str, state: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": thread,
            "checkpoint_ns": namespace,
            "checkpoint_id": state,
        }
    }
