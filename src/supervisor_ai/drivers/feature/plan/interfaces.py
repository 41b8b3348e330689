"""Where interfaces are written: real files, which no component changes."""

from typing import Final

from supervisor_ai.drivers.feature.plan.model import Feature, Interface, InterfaceKind

_PLACES: Final = {
    InterfaceKind.TYPESCRIPT: "types/{}.d.ts",
    InterfaceKind.OPENAPI: "api/{}.yaml",
    InterfaceKind.PYTHON: "interfaces/{}.pyi",
    InterfaceKind.JSON_SCHEMA: "schemas/{}.schema.json",
    InterfaceKind.PROTOBUF: "proto/{}.proto",
    InterfaceKind.SQL: "sql/{}.sql",
}


def interface_file(interface: Interface) -> str:
    """Name the file in which an interface stands."""
    return _PLACES[interface.kind].format(interface.name)


def locked_files(feature: Feature) -> tuple[str, ...]:
    """Name the files of all interfaces."""
    return tuple(map(interface_file, feature.interfaces))
