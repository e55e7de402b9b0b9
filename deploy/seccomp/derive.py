"""Derives scorer.json from what container engines apply by default (github.com/moby/profiles, Apache-2.0).

    python3 deploy/seccomp/derive.py DEFAULT.json

Engines read conditions on capabilities and processors in it; a kubelet takes the plain form of the runtime
specification alone. So conditions are resolved here, for a container without capabilities.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROFILE = Path(__file__).parent / "scorer.json"
ARCHITECTURES = ("amd64", "arm64")
OF_SANDBOXES: Mapping[str, str] = {
    "clone": "the first process of namespaces",
    "unshare": "namespaces of a process that runs already",
    "mount": "mounts made private",
    "umount2": "the host's root, let go of",
    "pivot_root": "the private root put in its place",
    "fsopen": "tmpfs and procfs of a sandbox",
    "fsconfig": "their options",
    "fsmount": "their mounts",
    "fspick": "the size of a scratch, changed",
    "open_tree": "binds, cloned",
    "mount_setattr": "binds, made read-only",
    "move_mount": "binds and file systems, put in their places",
    "sethostname": "the host's name hidden",
}
"""What the native sandbox calls besides, and for what. The kernel allows each in its user namespaces."""
NOT_NEEDED = frozenset({"ptrace", "process_vm_readv", "process_vm_writev", "modify_ldt"})
SOCKET_FAMILIES: Mapping[int, str] = {1: "AF_UNIX", 2: "AF_INET", 10: "AF_INET6", 16: "AF_NETLINK"}


def derived(default: Mapping[str, Any]) -> Mapping[str, Any]:
    """The profile, from the engines' own."""
    names: set[str] = set()
    conditional: list[Mapping[str, Any]] = []
    for rule in default["syscalls"]:
        wanted, unwanted = rule.get("includes") or {}, rule.get("excludes") or {}
        foreign = wanted.get("arches") and not set(wanted["arches"]) & set(ARCHITECTURES)
        if wanted.get("caps") or foreign or unwanted.get("arches") or rule["names"] == ["socket"]:
            continue
        if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args"):
            names.update(rule["names"])
        elif rule["names"] != ["clone"]:
            conditional.append(
                {key: rule[key] for key in ("names", "action", "errnoRet", "args") if rule.get(key)}
            )
    sockets = [
        {
            "names": ["socket"],
            "action": "SCMP_ACT_ALLOW",
            "args": [{"index": 0, "value": family, "op": "SCMP_CMP_EQ"}],
            "comment": name,
        }
        for family, name in SOCKET_FAMILIES.items()
    ]
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": default["defaultErrnoRet"],
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
        "syscalls": [
            {"names": sorted(names - NOT_NEEDED - set(OF_SANDBOXES)), "action": "SCMP_ACT_ALLOW"},
            *conditional,
            *sockets,
            {
                "names": sorted(OF_SANDBOXES),
                "action": "SCMP_ACT_ALLOW",
                "comment": "what the native sandbox needs besides",
            },
        ],
    }


def main(arguments: Sequence[str]) -> int:
    """Write the profile."""
    default = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    PROFILE.write_text(json.dumps(derived(default), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
