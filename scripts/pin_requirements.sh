#!/usr/bin/env bash
# Pins every package from outside by version and hash, for all supported versions of Python and platforms.
# Needs uv. Run it to take up new versions, then run the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
pin() {
  uv pip compile --quiet --universal --python-version 3.11 --upgrade --generate-hashes \
    --no-annotate --no-header --no-emit-index-url --no-emit-find-links --output-file "$1" "$2"
}
pin sandboxes/python/requirements.txt sandboxes/python/requirements.in
python3 - <<'PYTHON' | pin requirements.txt -
import tomllib

service = tomllib.load(open("pyproject.toml", "rb"))["project"]
client = tomllib.load(open("clients/python/pyproject.toml", "rb"))["project"]
wanted = service["dependencies"] + service["optional-dependencies"]["dev"] + client["dependencies"]
print("\n".join(line for line in wanted if not line.startswith("scorer-")))
PYTHON
