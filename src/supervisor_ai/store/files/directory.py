"""The directory that holds a project's state beside its definitions."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Unavailable

_NETWORK: Final = frozenset(
    {
        *("9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "gpfs", "lustre", "ncpfs"),
        *("nfs", "nfs4", "ocfs2", "orangefs", "pvfs2", "smb3", "smbfs", "vboxsf", "vmhgfs"),
        *("ceph-fuse", "curlftpfs", "davfs", "davfs2", "gcsfuse", "glusterfs", "gvfsd-fuse"),
        *("juicefs", "moosefs", "mfs", "prl_fs", "rclone", "s3fs", "seaweedfs", "smbnetfs"),
        *("sshfs", "vmhgfs-fuse"),
    }
)
"""File systems that other machines write, too; those of FUSE by what follows `fuse.`."""
_OF_ONE_KERNEL: Final = frozenset(
    {
        *("aufs", "bcachefs", "btrfs", "ecryptfs", "exfat", "ext2", "ext3", "ext4", "f2fs"),
        *("fuse-overlayfs", "fuseblk", "jfs", "nilfs2", "ntfs3", "overlay", "ramfs", "reiserfs"),
        *("tmpfs", "vfat", "xfs", "zfs"),
    }
)
"""File systems whose files are open in no other kernel: what one of them unlocks, nobody holds."""
_IGNORED: Final = """\
# Written by supervisor: state stays out of git, definitions belong into it.
/.gitignore
/state.db*
/artifacts/
/locks/
/logs/
/sessions/
"""


def filesystem_of(directory: Path) -> str:
    """Name the file system of a directory as mounts do; nothing where the kernel does not say."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            about = Path(f"/proc/self/fdinfo/{descriptor}").read_text(encoding="ascii")
        finally:
            os.close(descriptor)
        mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return ""
    number = about.partition("mnt_id:")[2].split()[0].encode()
    kinds = (line.partition(b" - ")[2].split()[0] for line in mounts if line.split()[0] == number)
    return next(kinds, b"").decode(errors="replace").removeprefix("fuse.").lower()


def is_of_one_kernel(filesystem: str) -> bool:
    """Tell whether a lock that is free here is free everywhere."""
    return filesystem in _OF_ONE_KERNEL


def _require_local(directory: Path, filesystem: str) -> None:
    """Refuse a place where writers on two machines do not see each other."""
    if filesystem in _NETWORK:
        raise Unavailable(
            f"The ledger cannot be kept in {str(directory)!r}: that is on a network file system "
            f"({filesystem}), where SQLite cannot keep two machines apart.",
            hint="Work in a clone on a disk of this machine, or mount a directory of such a disk "
            f"at {str(directory)!r}.",
        )


def prepare_directory(directory: Path, filesystem: Callable[[Path], str] = filesystem_of) -> None:
    """Make the directory on first use and keep its state out of git."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _refuse_link(directory)
        _require_local(directory, filesystem(directory))
        if os.access(directory, os.W_OK):  # else it can be read, and nothing is added
            _write_once(directory / ".gitignore", _IGNORED)
    except OSError as error:
        raise Unavailable(
            f"The state directory {str(directory)!r} cannot be used: {error.strerror}.",
            hint="Make the directory writable for you and try again.",
        ) from error


def private_directory(directory: Path) -> None:
    """Make a directory that nobody else can look into, and refuse a link in its place."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_link(directory)


def sync_all(directory: Path) -> None:
    """Return when all that was written to the directory's file system is on the disk (syncfs)."""
    import ctypes

    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(ctypes.c_int(descriptor)) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), str(directory))
    finally:
        os.close(descriptor)


def _refuse_link(directory: Path) -> None:
    """Stay inside the project: a link that came with the repository may lead anywhere."""
    if directory.is_symlink():
        raise Unavailable(
            f"The directory {str(directory)!r} is a symbolic link.",
            hint="State is kept in real directories only: remove the link.",
        )


def _write_once(path: Path, text: str) -> None:
    """Write a file that is not there yet; leave none behind that is not whole."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink()
        raise
