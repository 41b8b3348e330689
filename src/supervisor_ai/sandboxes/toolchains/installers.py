"""The programs with which people install tools below their home, as one table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.sandboxes.host_view.allowed_paths import is_below
from supervisor_ai.sandboxes.toolchains import versions
from supervisor_ai.sandboxes.toolchains.roots import Roots, is_open
from supervisor_ai.sandboxes.toolchains.versions import VersionPlace


class Installer(Struct, frozen=True, kw_only=True):
    """A version manager or a package manager of one user."""

    variable: str
    """Where its users say that it is elsewhere than usual."""
    places: tuple[str, ...]
    """Where it is usually, below the home or absolute."""
    parts: tuple[str, ...] = ()
    """What is shown of it, as patterns; nothing else is, not even if it is on the PATH."""
    programs: Callable[[VersionPlace], Iterator[Path]] | None = None
    """The programs behind its shims, where the shims do not work without the home directory."""
    is_public: bool = False
    """Whether everybody may read it by design."""
    follows: str | None = None
    """A program on the PATH that stands for it."""


# These shims name their own root, so they work inside, and obey the project's version file.
_SHIMS: Final = ("bin", "libexec", "plugins", "shims", "*.d", "version", "versions/*")
# After `pip install` the hook `pip-rehash` writes shims; nobody can inside, and all would fail.
_PYENV: Final = (
    *(part for part in _SHIMS if part != "*.d"),
    *("pyenv.d/[!e]*", "pyenv.d/exec/[!p]*"),
)
_CONDA: Final = (
    *("bin", "condabin", "conda-meta", "lib", "libexec", "include", "share", "ssl", "sbin"),
    *("compiler_compat", "*-conda-linux-gnu", "etc/profile.d"),
)

INSTALLERS: Final = (
    Installer(variable="PYENV_ROOT", places=(".pyenv",), parts=_PYENV),
    Installer(variable="RBENV_ROOT", places=(".rbenv",), parts=_SHIMS),
    Installer(variable="NODENV_ROOT", places=(".nodenv",), parts=_SHIMS),
    Installer(variable="GOENV_ROOT", places=(".goenv",), parts=_SHIMS),
    Installer(variable="JENV_ROOT", places=(".jenv",), parts=_SHIMS),
    Installer(
        variable="RUSTUP_HOME", places=(".rustup",), programs=versions.rustup, follows="rustup"
    ),
    Installer(variable="CARGO_HOME", places=(".cargo",), parts=("bin",)),
    Installer(variable="NVM_DIR", places=(".nvm", ".config/nvm"), programs=versions.nvm),
    Installer(variable="VOLTA_HOME", places=(".volta",), parts=("bin",), programs=versions.volta),
    Installer(
        variable="MISE_DATA_DIR",
        places=(".local/share/mise",),
        parts=("shims",),
        programs=versions.mise,
    ),
    Installer(
        variable="ASDF_DATA_DIR",
        places=(".asdf",),
        parts=("bin", "shims"),
        programs=versions.asdf,
    ),
    Installer(
        variable="CONDA_ROOT",
        places=("miniforge3", "mambaforge", "miniconda3", "anaconda3", ".conda", "conda"),
        parts=_CONDA,
    ),
    Installer(
        variable="HOMEBREW_PREFIX",
        places=(".linuxbrew", "/home/linuxbrew/.linuxbrew"),
        parts=(
            *("bin", "sbin", "lib", "libexec", "include", "share", "Cellar", "opt"),
            *("etc/openssl*", "etc/ca-certificates"),
        ),
    ),
    Installer(variable="PNPM_HOME", places=(".local/share/pnpm",), parts=("global", "nodejs")),
    Installer(variable="NIX_STORE_DIR", places=("/nix/store",), is_public=True),
)


def add_installers(
    roots: Roots, searched: Sequence[Path], environment: Mapping[str, str], home: Path
) -> tuple[Path, ...]:
    """Show the parts of every installer in use; return the real programs behind its shims."""
    found: list[Path] = []
    for installer in INSTALLERS:
        for root in _roots(installer, environment, home):
            if _is_used(installer, root, searched, environment):
                found += _add(
                    roots, installer, VersionPlace(root=root, environment=environment, home=home)
                )
    return tuple(found)


def _roots(installer: Installer, environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    chosen = environment.get(installer.variable)
    places = [Path(chosen)] if chosen else [home / place for place in installer.places]
    yield from (place for place in places if place.is_absolute() and is_open(place))


def _is_used(
    installer: Installer, root: Path, searched: Sequence[Path], environment: Mapping[str, str]
) -> bool:
    if environment.get(installer.variable):
        return True
    if follows := installer.follows:
        return any((place / follows).exists() for place in searched)
    return any(is_below(place, [root]) or is_below(place.resolve(), [root]) for place in searched)


def _add(roots: Roots, installer: Installer, place: VersionPlace) -> Iterator[Path]:
    if installer.is_public:
        roots.add_public(place.root)
    for pattern in installer.parts:
        for part in sorted(place.root.glob(pattern)):
            roots.add_installation(part) if is_open(part / "bin") else roots.add(part)
    for programs in installer.programs(place) if installer.programs else ():
        if is_open(programs):
            roots.add_programs(programs)
            yield programs
