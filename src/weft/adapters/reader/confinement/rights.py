"""Nobody's rights: another user where the process is root's, its own empty network, no way back."""

from __future__ import annotations

import ctypes
import os
import signal

from weft.adapters.reader.confinement import kernel

_NEW_USER = 0x1000_0000
_NEW_NETWORK = 0x4000_0000
_NOBODY = 65_534
# The third form of the kernel's capability sets: two heads, three sets of two words.
_CAPABILITIES, _HEADS, _WORDS = 0x2008_0522, 2, 6


def leave_rights(parent: int) -> None:
    """Give up root, the network and all hope of more; end with the parent, whose number is given.

    Root becomes nobody: what root may read is then closed by the file's own mode too.
    """
    is_root = os.geteuid() == 0
    found = kernel.library()
    if found is not None:
        # A user namespace would give rights inside it, which root does not need for a network.
        found.unshare(_NEW_NETWORK if is_root else _NEW_USER | _NEW_NETWORK)
    if is_root:
        _become_nobody()
    if found is not None:
        found.capset((ctypes.c_uint32 * _HEADS)(_CAPABILITIES), (ctypes.c_uint32 * _WORDS)())
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    # Others of this user may not look into it; after the change of user, which undoes both.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the line above
        os._exit(0)


def _become_nobody() -> None:
    try:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    except OSError:
        return  # a container may know no such user; what holds is looked at afterwards
