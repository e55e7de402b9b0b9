#!/usr/bin/env bash
# Compares the contract with the last release's: what clients rely on must not change under them.
set -euo pipefail
cd "$(dirname "$0")/.."
buf=${1:-buf}
# proto/released.binpb is the image of the contract as last released. After a deliberate change of what was
# never released: buf build --exclude-source-info -o proto/released.binpb
"$buf" breaking --against proto/released.binpb
