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


def locked_files(feature: Feature) -> tuple[str, ...]:
    """Name the files of all interfaces."""
    return tuple(map(interface_file, feature.interfaces))
