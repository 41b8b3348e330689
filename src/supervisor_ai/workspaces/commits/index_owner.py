"""Git's index, told who owns the files: git would read all of them again whose owner changed."""

import hashlib
import struct
from pathlib import Path
from typing import Final

_HEADER: Final = struct.Struct(">4sII")
_OWNER: Final = struct.Struct(">II")
_OWNER_AT: Final = 28
_NAMES: Final = {20: "sha1", 32: "sha256"}
_FIXED: Final = 40
"""Bytes of an entry before the name of its content."""
_KNOWN: Final = (2, 3)
_EXTENDED: Final = 0x4000


def set_owner(index: Path, owner: int, *, length: int) -> None:
    """Write the owner into every entry; an index of another form stays as it is.

    Only root's files are meant, which seem to be the owner's from now on. What git believes of
    their content is still bound to their inode, size and times.
    """
    content = bytearray(index.read_bytes())
    signature, version, count = _HEADER.unpack_from(content)
    if signature != b"DIRC" or version not in _KNOWN:
        return
    at = _HEADER.size
    for _ in range(count):
        _OWNER.pack_into(content, at + _OWNER_AT, owner, owner)
        (flags,) = struct.unpack_from(">H", content, at + _FIXED + length)
        named = at + _FIXED + length + (4 if flags & _EXTENDED else 2)
        end = content.index(b"\0", named)
        at += (end - at) // 8 * 8 + 8
    body = bytes(content[:-length])
    draft = index.with_suffix(".draft")
    draft.write_bytes(body + hashlib.new(_NAMES[length], body).digest())
    draft.rename(index)
