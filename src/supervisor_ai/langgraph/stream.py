"""What LangGraph's own machinery is told and lets through."""

from collections.abc import Mapping
from typing import Final

from langgraph.config import get_stream_writer
from langgraph.errors import GraphBubbleUp

PASSES: Final = (GraphBubbleUp,)
"""What LangGraph raises to stop a graph on purpose is no failure of a model."""


def tell_stream(told: Mapping[str, object]) -> None:
    """Say something to whoever follows the graph with `stream_mode="custom"`."""
    get_stream_writer()(told)
