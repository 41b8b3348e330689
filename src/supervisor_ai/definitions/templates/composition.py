"""A template that the config changes becomes a workflow of its own."""

from collections.abc import Sequence

from supervisor_ai.definitions.overlay.layers import Layer, WrittenFile
from supervisor_ai.definitions.sources.yaml_document import Value


def with_compositions(layers: Sequence[Layer]) -> list[Layer]:
    """Add what a config says about a template as a layer of its own above the config's."""
    laid: list[Layer] = []
    for layer in layers:
        laid.append(layer)
        for config in layer.configs:
            chosen = config.shape.workflow
            if chosen and not chosen.is_plain:
                written = WrittenFile(
                    shape=chosen.written_out,
                    document=config.document,
                    shelf=config.shelf,
                    path=("workflow",),
                    value=_of(config.value),
                )
                laid.append(Layer(configs=(), workflows={chosen.template: written}, names=()))
    return laid


def _of(config: Value) -> Value:
    chosen = config.get("workflow") if isinstance(config, dict) else None
    return chosen if isinstance(chosen, dict) else {}
