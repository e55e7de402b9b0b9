"""No process of the service leaves an image of its memory: expected outputs and hidden text are in it."""

import resource

NO_COLLECTOR_BYTES = 1
"""Less than any image, so no file is written; and unlike 0 it keeps the kernel from starting a collector,
where `core_pattern` names a program (core(5), and do_coredump in the kernel)."""


def turn_off() -> None:
    """For this process and all that it starts; no process of it can turn them on again without privileges.

    Where whoever starts it has set a limit of 0, that stays: a limit is raised by privileged processes only.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    limit = 0 if hard == 0 else NO_COLLECTOR_BYTES
    resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
