"""A graph that counts, for whoever saves its states."""

from collections.abc import Callable
from operator import add
from typing import Annotated, Any, Final, TypedDict

from langgraph.graph import END, START, StateGraph

CONFIG: Final[Any] = {"configurable": {"thread_id": "first"}}


class Count(TypedDict):
    """A number that grows, and what was said on the way."""

    number: int
    said: Annotated[list[Any], add]


Say = Callable[[int], object]


def counter(say: Say = str, *, most: int = 4) -> "StateGraph[Count]":
    def step(state: Count) -> Count:
        return {"number": state["number"] + 1, "said": [say(state["number"])]}

    graph: StateGraph[Count] = StateGraph(Count)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges(
        "step", lambda state: "step" if state["number"] < most else END, ["step", END]
    )
    return graph


BEGIN: Final[Count] = {"number": 0, "said": []}
