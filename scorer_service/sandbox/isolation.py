"""Mechanisms that isolate sandboxes and that not every machine has; which of them a server insists on."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

import scorer_launcher


@dataclass(frozen=True)
class Mechanism:
    """Something that a sandbox can do without, and is weaker for it."""

    is_held: Callable[[scorer_launcher.Isolation], bool]
    description: Callable[[scorer_launcher.Isolation], str]
    """How it is held, for a person."""
    lost: str
    """What a machine without it cannot promise."""


# Namespaces and filters of system calls are not here: without them there is no sandbox at all.
MECHANISMS: Mapping[str, Mechanism] = {
    "cgroups": Mechanism(
        lambda found: "rlimit" not in (found.memory_accounting, found.process_accounting),
        lambda found: f"memory by {found.memory_accounting}, processes by {found.process_accounting}",
        "memory can pass its limit for a moment, and a limit of processes looks like the program's own error",
    ),
    "landlock": Mechanism(
        lambda found: found.landlock_abi > 0,
        lambda found: f"version {found.landlock_abi}",
        "files are protected by mounts and permissions alone",
    ),
    "users": Mechanism(
        lambda found: found.privileged,
        lambda found: "every sandbox has user ids of its own",
        "sandboxes run under the server's user id, kept apart by namespaces alone",
    ),
}


class TooLittleIsolation(Exception):
    """The configuration asks for a mechanism that this machine does not have. The message says which, what is
    lost without it, and the way out."""


def required(requirement: str) -> Set[str]:
    """The names of the mechanisms that a value of the setting `require_isolation` asks for."""
    if requirement == "all":
        return set(MECHANISMS)
    return set() if requirement == "none" else set(requirement.split(","))


def held(isolation: scorer_launcher.Isolation) -> Set[str]:
    """The names of the mechanisms that a machine has."""
    return {name for name, mechanism in MECHANISMS.items() if mechanism.is_held(isolation)}


def check(requirement: str, isolation: scorer_launcher.Isolation) -> None:
    """Raises TooLittleIsolation where the machine lacks something that is asked for."""
    lacking = sorted(required(requirement) - held(isolation))
    if lacking:
        losses = "; ".join(f"{name} ({MECHANISMS[name].lost})" for name in lacking)
        raise TooLittleIsolation(
            f"require_isolation is {requirement}, and this machine lacks {losses}. What was found: "
            f"{'; '.join(isolation.complaints)}. Or ask for less with --require-isolation"
        )
