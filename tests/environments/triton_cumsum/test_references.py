"""The solutions that ship with the service are right on every size and kind of value, wrapping included."""

from pathlib import Path

from scorer_service.environments.triton_cumsum import environment
from tests.environments.triton_cumsum.conftest import CheckEach

SOLUTIONS = Path(environment.__file__).parent
RIGHT = ("starter_files/solution.py", "reference/torch_scan.py", "reference/triton_scan.py")


def test_the_solutions_are_right_on_every_public_input(check_each: CheckEach) -> None:
    paths = [SOLUTIONS / name for name in (*RIGHT, "reference/nothing.py")]
    *right, (status, told) = check_each(paths)
    for name, (right_status, right_told) in zip(RIGHT, right, strict=True):
        assert right_status == 0, f"{name}: {right_told}"
        assert "right on all" in right_told
        assert "only a hint" in right_told
    assert status == 1, "what does nothing is wrong"
    assert "WRONG: out[" in told


def test_every_kind_of_device_has_a_reference() -> None:
    for kind in ("cpu", "cuda"):
        assert b"def prefix_sum(x" in environment._reference(kind)
