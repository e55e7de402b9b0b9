#!/usr/bin/env bash
# Generates the client's copy of the gRPC stubs from proto/, or with --check compares it.
#
# The generator is the oldest one that is supported, on purpose: its output imports beside any later protobuf
# runtime, so that the client can be installed next to a harness that pins an older one.
set -euo pipefail
cd "$(dirname "$0")/.."
out=clients/python/src
tools=.venv-stubs
if [ ! -e "$tools/.ready" ]; then
  rm -rf "$tools"
  "${PYTHON:-python3}" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check \
    grpcio-tools==1.62.3 mypy-protobuf==3.6.0 'setuptools<81'
  touch "$tools/.ready"
fi
target=$out
if [ "${1:-}" = --check ]; then
  target=$(mktemp -d)
  trap 'rm -rf "$target"' EXIT
fi
PATH="$tools/bin:$PATH" "$tools/bin/python" -W ignore -m grpc_tools.protoc -I proto \
  --python_out="$target" --grpc_python_out="$target" --mypy_out=quiet:"$target" --mypy_grpc_out=quiet:"$target" \
  $(cd proto && find scorer -name '*.proto' | sort)
if [ "${1:-}" = --check ]; then
  # Only what is generated is compared; __init__.py and py.typed are written by hand.
  diff --recursive --exclude=__pycache__ --exclude=__init__.py --exclude=py.typed "$target/scorer" "$out/scorer" || {
    echo "The committed stubs differ from proto/. Run: make stubs" >&2
    exit 1
  }
fi
