"""Finds the environments of this package by their folders."""

import importlib
import pkgutil

import scorer_service.environments
from scorer_service.environments.interface import Environment
from scorer_service.environments.settings import EnvironmentSettings


def environment_names() -> list[str]:
    """The folders of this package that are environments, in alphabetical order."""
    return sorted(
        module.name for module in pkgutil.iter_modules(scorer_service.environments.__path__) if module.ispkg
    )


def create_environment(name: str, settings: EnvironmentSettings) -> Environment:
    """The environment of a folder."""
    module = importlib.import_module(f"scorer_service.environments.{name}.environment")
    environment: Environment = module.create(settings)
    return environment
