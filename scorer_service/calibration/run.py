"""Measures and stores the anchors of an environment on the device in hand, without a server."""

from collections.abc import Sequence

from scorer_service import state_dir
from scorer_service.configuration import Configuration, ConfigurationError
from scorer_service.environments.discovery import create_environment, environment_names
from scorer_service.environments.interface import CalibrationTable
from scorer_service.sandbox import python_toolchain
from scorer_service.sandbox.choice import open_backend
from scorer_service.worker.device_access import DeviceAccess


async def calibrate(name: str, configuration: Configuration) -> CalibrationTable:
    """What was measured and where it was stored.

    Nobody else may use the state folder meanwhile. Raises ConfigurationError for an environment that there is
    not or whose anchors are fixed; NotServing, CalibrationRefused, JudgingFailed.
    """
    known = environment_names()
    if name not in known:
        raise ConfigurationError(f"there is no environment {name!r}: there are {', '.join(known)}")
    backend = open_backend(
        configuration.sandbox, configuration.state_dir / state_dir.CONTAINERS_DIR, configuration.slots or None
    )
    python = configuration.torch_python or python_toolchain.default_python()
    device = DeviceAccess(backend, python, configuration.device)
    environment = create_environment(
        name, state_dir.environment_settings(name, configuration, backend, device)
    )
    try:
        await environment.start()
        return await environment.calibrate()
    except NotImplementedError as error:
        raise ConfigurationError(str(error)) from error
    finally:
        await environment.close()
        await device.close()


def in_words(table: CalibrationTable) -> str:
    """For a person, a line each."""
    rows: Sequence[tuple[str, str]] = (*table.rows, ("stored in", str(table.path)))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)
