"""Commands as on machines that have less: no cgroups, no Landlock, no root. Each takes root to arrange."""

import os
import pwd
import sys
from collections.abc import Sequence
from pathlib import Path

NOBODY = 65534
LANDLOCK_CALLS = (444, 445, 446)
"""landlock_create_ruleset, landlock_add_rule, landlock_restrict_self: alike on every architecture."""

Command = Sequence[str | Path]

_IN_OWN_MOUNTS = ("unshare", "--mount", "--propagation", "private", "sh", "-ec")

# The interpreter may lie in root's home, which others cannot enter: there they find one that they can, with
# the same folders in it, each as open as it is.
_OPEN_HOME = """
home=$1; behind=$(mktemp -d); shift
mount --bind "$home" "$behind"
mount -t tmpfs -o mode=755 none "$home"
for folder in "$behind"/* "$behind"/.[!.]*; do
  if [ -d "$folder" ] && [ ! -L "$folder" ]; then
    inside=$home/${folder##*/}
    mkdir "$inside"
    mount --bind "$folder" "$inside"
  fi
done
umount -l "$behind"
rmdir "$behind"
exec "$@"
"""

# Executes its arguments under a filter by which the kernel says of some system calls that they do not exist.
_WITHOUT_CALLS = """
import ctypes, os, struct, sys
calls = [int(number) for number in sys.argv[1].split(",")]
step = struct.Struct("HBBI").pack
program = step(0x20, 0, 0, 0)  # load the number
for place, number in enumerate(calls):
    program += step(0x15, len(calls) - place, 0, number)  # equal: to the last step
program += step(0x06, 0, 0, 0x7FFF0000) + step(0x06, 0, 0, 0x00050000 | 38)  # allow; ENOSYS
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]
steps = ctypes.create_string_buffer(program)
libc = ctypes.CDLL(None, use_errno=True)
wanted = Filter(len(program) // 8, ctypes.cast(steps, ctypes.c_void_p))
if libc.prctl(22, 2, ctypes.byref(wanted), 0, 0) != 0:
    raise OSError(ctypes.get_errno(), "no filter of system calls")
os.execvp(sys.argv[2], sys.argv[2:])
"""


def without_cgroups(command: Command) -> list[str | Path]:
    """The command where no cgroup hierarchy is mounted, of either version."""
    return [*_IN_OWN_MOUNTS, 'umount -R -l /sys/fs/cgroup; exec "$@"', "sh", *command]


def without_landlock(command: Command) -> list[str | Path]:
    """The command under a kernel that has no Landlock."""
    return [sys.executable, "-c", _WITHOUT_CALLS, ",".join(map(str, LANDLOCK_CALLS)), *command]


def without_root(command: Command) -> list[str | Path]:
    """The command as a user who owns nothing and has no capability."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all"]
    return [*_IN_OWN_MOUNTS, _OPEN_HOME, "sh", home, *user, *command]
