"""Where interfaces are written: real files, which no component changes."""

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from supervisor_ai.drivers.feature.plan.model import (
    ComponentId,
    Feature,
    Interface,
    InterfaceKind,
)

_PLACES: Final = {
    InterfaceKind.TYPESCRIPT: "types/{}.d.ts",
    InterfaceKind.OPENAPI: "api/{}.yaml",
    InterfaceKind.PYTHON: "interfaces/{}.pyi",
    InterfaceKind.JSON_SCHEMA: "schemas/{}.schema.json",
    InterfaceKind.PROTOBUF: "proto/{}.proto",
    InterfaceKind.SQL: "sql/{}.sql",
}


class InterfaceForm(Struct, frozen=True, kw_only=True):
    """What a parser says about the text of an interface."""

    by: str = ""
    """Who looked at it; nothing: nobody here can."""
    problem: str | None = None
    """What is wrong with it, so that its name can come before."""
    warnings: tuple[str, ...] = ()


def interface_file(interface: Interface) -> str:
    """Name the file in which an interface stands."""
    return _PLACES[interface.kind].format(interface.name)


def interface_text(interface: Interface) -> str:
    """Write an interface as a whole file: paths of an API become a document of their own."""
    text = f"{interface.definition.rstrip()}\n"
    lines = text.splitlines()
    is_whole = any(line.startswith("openapi:") for line in lines)
    if interface.kind is not InterfaceKind.OPENAPI or is_whole:
        return text
    inner = "".join(f"  {line}\n" if line else "\n" for line in lines)
    info = f"info:\n  title: {interface.name}\n  version: 0.0.0\n"
    return f"openapi: 3.1.0\n{info}paths:\n{inner}"


def users_of(feature: Feature, name: str) -> tuple[ComponentId, ...]:
    """Name the components that depend on an interface.

    A component that says nothing of interfaces depends on those of its own phase, and on those of
    all phases of which it needs a component, directly or not.
    """
    home = next((it for it in feature.phases if any(of.name == name for of in it.interfaces)), None)
    if home is None:
        return ()
    reached = {it.id for it in home.components}
    while more := _needing(feature, reached) - reached:
        reached |= more
    return tuple(
        it.id
        for it in feature.components
        if (name in it.uses if it.uses is not None else it.id in reached)
    )


def _needing(feature: Feature, reached: Collection[ComponentId]) -> set[ComponentId]:
    return {it.id for it in feature.components if any(need in reached for need in it.depends_on)}


def locked_files(feature: Feature) -> tuple[str, ...]:
    """Name the files of all interfaces."""
    return tuple(map(interface_file, feature.interfaces))
