"""No file system: Landlock, without a single path that would be allowed."""

from __future__ import annotations

import ctypes

from weft.adapters.reader.confinement import kernel

# The same numbers on every processor.
_CREATE_RULESET = 444
_RESTRICT_SELF = 446
_ASK_VERSION = 1
# Rights that each version of Landlock knows: a right it does not know must not be named.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_FILE_RIGHTS = 16
_TCP = 0b11  # to listen and to connect, from version 4
_OTHERS = 0b11  # abstract sockets and signals outside the domain, from version 6
_WORD = 8


def leave_files() -> None:
    """Give up every path of the file system for good, where the kernel has Landlock.

    What is open stays open. Needs `PR_SET_NO_NEW_PRIVS`.
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
        kernel.call(_RESTRICT_SELF, ctypes.c_int(handle), ctypes.c_uint(0))
