"""Archives to judge: one that lies in the repository, and those of the corpus where there is a torch to
export it."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from scorer_service.graph import CheckedGraph, ModelInterface, check_archive, open_archive

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "models").glob("*_*.py"))
INTERFACE = ModelInterface(sequence_length=16, vocabulary=23, batch_rows=64, memory_limit_bytes=1 << 28)


@dataclass(frozen=True)
class ExportedCorpus:
    """Where the corpus was exported to."""

    folder: Path

    def archive(self, model: str, *, functional: bool = False) -> Path:
        """The archive of a model. Fails with the exporter's words where it made none."""
        error = self.folder / f"{model}.error"
        assert not error.exists(), error.read_text()
        return self.folder / f"{model}{'.functional' if functional else ''}.pt2"


@pytest.fixture(scope="session")
def exported(torch_python: Path, tmp_path_factory: pytest.TempPathFactory) -> ExportedCorpus:
    """The whole corpus, exported in one process."""
    folder = tmp_path_factory.mktemp("exported")
    subprocess.run(
        [torch_python, HERE / "export_models.py", folder, *CORPUS],
        check=True,
        capture_output=True,
        timeout=900,
    )
    return ExportedCorpus(folder)


@pytest.fixture(scope="session")
def gpt_archive() -> Path:
    """An archive that torch 2.15 wrote, of the model `allowed_gpt.py`; see `archives/README.md`."""
    return HERE / "archives" / "gpt.pt2"


def judge(archive: Path, interface: ModelInterface = INTERFACE) -> CheckedGraph:
    """Read and check an archive."""
    with open_archive(archive) as opened:
        return check_archive(opened, interface)
