"""The finder of names in queries finds them: the tests of rules and dashboard rely on it."""

import pytest
from promql import references


@pytest.mark.parametrize(
    ("query", "selectors", "grouping"),
    [
        ("up == 0", {"up": set()}, set()),
        ('up{job="a", instance=~"b{c}"} > 30 * 60', {"up": {"job", "instance"}}, set()),
        ("sum by (a, le) (rate(x_bucket[5m]))", {"x_bucket": set()}, {"a", "le"}),
        ('(x == 0) and on (job) y{a!="b"}', {"x": set(), "y": {"a"}}, {"job"}),
        (
            "time() - level:x:rate5m > on (a) group_left (b) (3 * z)",
            {"level:x:rate5m": set(), "z": set()},
            {"a", "b"},
        ),
        ('label_values(x{job=~"$job"}, environment)', {"x": {"job"}, "environment": set()}, set()),
        ("2 * 1e6 * x offset 5m", {"x": set()}, set()),
    ],
)
def test_names_are_found(query: str, selectors: dict[str, set[str]], grouping: set[str]) -> None:
    found = references(query)
    assert {name: set(labels) for name, labels in found.selectors} == selectors
    assert found.grouping == grouping
