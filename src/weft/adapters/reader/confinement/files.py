"""No file system: Landlock, with none but the paths that a program is made of."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Sequence

from weft.adapters.reader.confinement import kernel

# The same numbers on every processor.
_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
_BELOW_A_PATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
# Of the kernel's form: the rights, then the handle, without a gap.
_RULE = struct.Struct("=Qi")
_ASK_VERSION = 1
# Rights that each version of Landlock knows: a right it does not know must not be named.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_FILE_RIGHTS = 16
_TCP = 0b11  # to listen and to connect, from version 4
_OTHERS = 0b11  # abstract sockets and signals outside the domain, from version 6
_WORD = 8


def leave_files(readable: Sequence[str] = ()) -> None:
    """Give up every path of the file system for good, where the kernel has Landlock.

    What is open stays open. What lies at or below `readable` can be read and executed, not written.
    Needs `PR_SET_NO_NEW_PRIVS`.
    """
    version = kernel.call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
    if version < 1:
        return
    words = [(1 << _FILE_RIGHTS.get(version, _MOST_FILE_RIGHTS)) - 1]
    words += [_TCP] if version >= 4 else []
    words += [_OTHERS] if version >= 6 else []
    rules = (ctypes.c_uint64 * len(words))(*words)
    size = ctypes.c_size_t(_WORD * len(words))
    handle = kernel.call(_CREATE_RULESET, ctypes.byref(rules), size, ctypes.c_uint(0))
    if handle >= 0:
        for path in readable:
            _allow(handle, path)
        kernel.call(_RESTRICT_SELF, ctypes.c_int(handle), ctypes.c_uint(0))


def _allow(rules: int, path: str) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # it is not there
    try:
        rights = _EXECUTE | _READ_FILE
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            rights |= _READ_FOLDER
        rule = ctypes.create_string_buffer(_RULE.pack(rights, handle), _RULE.size)
        kernel.call(
            _ADD_RULE, ctypes.c_int(rules), ctypes.c_int(_BELOW_A_PATH), rule, ctypes.c_uint(0)
        )
    finally:
        os.close(handle)
