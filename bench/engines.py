"""One engine in one process: no-op steps, intent and outcome durable.

Called by `python -m bench`; each engine runs in a process of its own:

    python -m bench.engines ENGINE seq|prepare|resume DIRECTORY STEPS
"""

import asyncio
import json
import os
import signal
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

Tick = Callable[[], None]


class Ticks:
    """The times at which step bodies ran."""

    def __init__(self, die_at: int | None = None, report_at: int | None = None) -> None:
        self._times: list[float] = []
        self._die_at = die_at
        self._report_at = report_at

    def __call__(self) -> None:
        self._times.append(time.perf_counter())
        if self._die_at is not None and len(self._times) > self._die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._report_at is not None:
            print(json.dumps({"first": time.time()}), flush=True)
            os._exit(0)

    def report(self) -> None:
        gaps = [after - before for before, after in zip(self._times, self._times[1:], strict=False)]
        micros = sorted(gap * 1e6 for gap in gaps)
        result = {"median": statistics.median(micros), "p99": micros[int(len(micros) * 0.99) - 1]}
        print(json.dumps(result))


def floor(directory: Path, steps: int, tick: Tick) -> None:
    """Hand-written SQLite: two commits a step, synchronous FULL; the physical limit."""
    connection = sqlite3.connect(directory / "floor.db", isolation_level=None)
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma synchronous=full")
    connection.execute(
        "create table if not exists event(run text, seq integer, kind text, body text,"
        " primary key(run, seq)) without rowid"
    )
    row = "insert into event values('r', ?, ?, ?)"
    [last] = connection.execute("select count(*) from event").fetchone()
    for number in range(last // 2, steps + 1):
        body = json.dumps({"step": number})
        connection.execute("delete from event where run='r' and seq=?", (number * 2,))
        connection.execute(row, (number * 2, "StepStarted", body))
        tick()
        connection.execute(row, (number * 2 + 1, "StepFinished", body))


def dbos(directory: Path, steps: int, tick: Tick) -> None:
    from dbos import DBOS, SetWorkflowID

    database = directory / "dbos.db"
    sqlite3.connect(database).execute("pragma journal_mode=wal")
    DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{database}",
            "executor_id": "bench",
            "application_version": "1",
            "log_level": "ERROR",
        }
    )

    @DBOS.step()
    def noop(number: int) -> int:
        tick()
        return number

    @DBOS.workflow()
    def sequence(count: int) -> None:
        for number in range(count + 1):
            noop(number)

    is_new = not database.stat().st_size
    DBOS.launch()
    if is_new or "resume" not in sys.argv:
        with SetWorkflowID("run"):
            sequence(steps)
    else:
        time.sleep(600)


def langgraph(directory: Path, steps: int, tick: Tick) -> None:
    from typing import Any, TypedDict

    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph

    State = TypedDict("State", {"number": int})  # noqa: UP013 - local to the peer
    is_resume = "resume" in sys.argv
    saver = SqliteSaver(sqlite3.connect(directory / "langgraph.db", check_same_thread=False))
    saver.setup()

    def noop(state: State) -> State:
        tick()
        return {"number": state["number"] + 1}

    graph = StateGraph(State)
    graph.add_node("step", noop)
    graph.add_edge(START, "step")
    graph.add_conditional_edges(
        "step", lambda state: END if state["number"] > steps else "step", ["step", END]
    )
    config: Any = {"configurable": {"thread_id": "run"}, "recursion_limit": 10**9}
    app = graph.compile(checkpointer=saver)
    app.invoke(None if is_resume else {"number": 0}, config, durability="sync")


def supervisor(directory: Path, steps: int, tick: Tick) -> None:
    from bench.supervisor_bench import drive_noop_run

    asyncio.run(drive_noop_run(directory, steps, tick))


ENGINES = {"floor": floor, "supervisor": supervisor, "langgraph": langgraph, "dbos": dbos}


def main() -> None:
    engine, test, directory, count = sys.argv[1:5]
    steps = int(count)
    ticks = Ticks(
        die_at=steps - 1 if test == "prepare" else None,
        report_at=1 if test == "resume" else None,
    )
    ENGINES[engine](Path(directory), steps if test != "resume" else steps + 1, ticks)
    if test == "seq":
        ticks.report()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
