"""How much of the hidden text is judged, by profile and settings."""

import dataclasses
import importlib
from pathlib import Path
from typing import Any

import pytest

from scorer_service.environments import hidden_windows
from scorer_service.environments.interface import NotServing
from scorer_service.environments.settings import EnvironmentSettings


class NoSandbox:
    """For an environment that is never started."""

    description = "none"


@pytest.fixture
def settings(tmp_path: Path) -> EnvironmentSettings:
    sandbox: Any = NoSandbox()
    return EnvironmentSettings(profile="embedded", cache_dir=tmp_path, sandbox=sandbox)


@pytest.mark.parametrize(
    ("of_profile", "wanted", "judged"),
    [(None, 0, None), (None, 64, 64), (16_000, 0, 16_000), (16_000, 64, 64), (16_000, 20_000, 16_000)],
)
def test_settings_can_only_shorten_what_the_profile_judges(
    settings: EnvironmentSettings, of_profile: int | None, wanted: int, judged: int | None
) -> None:
    wished = dataclasses.replace(settings, hidden_windows=wanted)
    assert hidden_windows.window_limit(of_profile, wished) == judged


@pytest.mark.parametrize("name", ["fix_embedding", "restricted_mlm"])
def test_both_environments_tell_how_much_they_judge(settings: EnvironmentSettings, name: str) -> None:
    environment = importlib.import_module(f"scorer_service.environments.{name}.environment")
    whole = environment.create(settings).describe()
    part = environment.create(dataclasses.replace(settings, hidden_windows=64)).describe()
    told = set(part.limits) - set(whole.limits)
    assert told == {("hidden text that is judged", "the first 64 windows of 128 tokens")}
    assert not set(whole.limits) - set(part.limits)


@pytest.mark.parametrize("name", ["fix_embedding", "restricted_mlm"])
def test_one_window_is_too_few_for_a_standard_error(settings: EnvironmentSettings, name: str) -> None:
    environment = importlib.import_module(f"scorer_service.environments.{name}.environment")
    with pytest.raises(NotServing, match="set hidden_windows to 2 or more, or to 0"):
        environment.create(dataclasses.replace(settings, hidden_windows=1))


def test_a_part_of_the_text_has_anchors_of_its_own() -> None:
    assert hidden_windows.fingerprint(None) == ""
    assert len({hidden_windows.fingerprint(limit) for limit in (None, 64, 65)}) == 3
