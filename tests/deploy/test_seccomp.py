"""The seccomp profile lets the sandbox be made, is documented as it is, and nothing more."""

import json
from pathlib import Path
from typing import Any

import derive
import pytest

ACTIONS = {"SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"}
OF_A_RULE = {"names", "action", "errnoRet", "args", "comment"}
"""Fields of the runtime specification, with the comment that engines allow. Kubelets know no others."""


@pytest.fixture
def profile() -> Any:
    return json.loads(derive.PROFILE.read_text())


def test_the_profile_has_the_plain_form_that_kubelets_take(profile: Any) -> None:
    assert set(profile) == {"defaultAction", "defaultErrnoRet", "architectures", "syscalls"}
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    for rule in profile["syscalls"]:
        assert rule.keys() <= OF_A_RULE
        assert rule["action"] in ACTIONS
        assert rule["names"]


def test_what_is_allowed_besides_is_what_the_documentation_says(profile: Any, repository: Path) -> None:
    assert profile["syscalls"][-1]["names"] == sorted(derive.OF_SANDBOXES)
    page = (repository / "docs" / "deployment.md").read_text()
    for name, purpose in derive.OF_SANDBOXES.items():
        assert f"| `{name}` | {purpose} |" in page


def test_what_breaks_out_of_containers_stays_refused(profile: Any) -> None:
    allowed = {
        name
        for rule in profile["syscalls"]
        if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args")
        for name in rule["names"]
    }
    refused = {
        *("bpf", "delete_module", "finit_module", "init_module", "kexec_load", "keyctl", "open_by_handle_at"),
        *("perf_event_open", "process_vm_writev", "ptrace", "reboot", "setns", "swapon", "userfaultfd"),
    }
    assert not allowed & refused
    assert {"read", "execve", "seccomp", "landlock_restrict_self", *derive.OF_SANDBOXES} <= allowed


def test_deriving_keeps_what_needs_no_capability_and_resolves_conditions() -> None:
    allow = "SCMP_ACT_ALLOW"
    default = {
        "defaultErrnoRet": 1,
        "syscalls": [
            {"names": ["read", "ptrace", "clone"], "action": allow},
            {"names": ["bpf"], "action": allow, "includes": {"caps": ["CAP_BPF"]}},
            {"names": ["arch_prctl"], "action": allow, "includes": {"arches": ["amd64"]}},
            {"names": ["swapcontext"], "action": allow, "includes": {"arches": ["ppc64le"]}},
            {
                "names": ["clone3"],
                "action": "SCMP_ACT_ERRNO",
                "errnoRet": 38,
                "excludes": {"caps": ["CAP_SYS_ADMIN"]},
            },
            {"names": ["socket"], "action": allow, "args": [{"index": 0, "value": 40, "op": "SCMP_CMP_NE"}]},
        ],
    }
    rules = derive.derived(default)["syscalls"]
    assert rules[0]["names"] == ["arch_prctl", "read"]
    assert rules[1] == {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}
    families = [rule["args"][0]["value"] for rule in rules if rule["names"] == ["socket"]]
    assert families == list(derive.SOCKET_FAMILIES)
