#!/usr/bin/env bash
# Checks everything that needs a GPU, on a machine with one, torch, triton and Python 3.12 or later, and no network.
#
#   tools/gpu_check.sh pack   here, where packages can be fetched: puts what that machine lacks into build/gpu
#   tools/gpu_check.sh        there, with build/gpu carried along: tests, calibration and attacks in under four
#                             minutes, and one table of what came. Logs are left in build/gpu-check.
set -uo pipefail
cd "$(dirname "$0")/.."
packed=build/gpu
logs=build/gpu-check

pack() {
  rm -rf "$packed"
  # The versions that are pinned; hashes cannot be checked for another platform than they are asked for.
  sed -nE 's/^([A-Za-z0-9_.-]+==[^ ;\\]+).*/\1/p' requirements.txt >build/gpu-constraints.txt
  .venv/bin/uv pip install --quiet --target "$packed" --python-version 3.12 --python-platform x86_64-manylinux_2_28 \
    --only-binary :all: --constraint build/gpu-constraints.txt \
    grpcio grpcio-health-checking grpcio-reflection grpcio-status googleapis-common-protos protobuf \
    prometheus-client pytest pytest-asyncio
  # One extension for all versions of Python from 3.11 on.
  cp -r "$(.venv/bin/python -c 'import os, scorer_launcher; print(os.path.dirname(scorer_launcher.__file__))')" "$packed"
  du -sh "$packed"
}

names=() outcomes=() seconds=()
# step NAME SECONDS COMMAND...: runs the command within so many seconds.
step() {
  local name=$1 limit=$2 began=$SECONDS
  shift 2
  if timeout --kill-after=5 "$limit" "$@" >"$logs/${name// /-}.log" 2>&1; then outcomes+=(ok); else outcomes+=("FAILED ($?)"); fi
  names+=("$name") seconds+=($((SECONDS - began)))
}

check() {
  export PYTHONPATH=$PWD/$packed:$PWD/clients/python/src:$PWD SCORER_TEST_DEVICE=cuda
  local python=${PYTHON:-python3}
  export SCORER_TORCH_PYTHON=${SCORER_TORCH_PYTHON:-$(command -v "$python")}
  mkdir -p "$logs"
  "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' || { echo "There is no GPU here." >&2; exit 2; }
  "$python" -c 'import torch, triton, platform; print(torch.cuda.get_device_name(), "| torch", torch.__version__, "| triton", triton.__version__, "| Python", platform.python_version())'
  step doctor 40 "$python" -m scorer_service.main doctor --state-dir "$logs/state" --torch-python "$SCORER_TORCH_PYTHON"
  step "gpu tests" 70 "$python" -m pytest -q -p no:cacheprovider -m gpu tests/worker tests/environments/triton_cumsum
  step calibration 60 "$python" -m scorer_service.main calibrate triton_cumsum --device cuda \
    --state-dir "$logs/state" --torch-python "$SCORER_TORCH_PYTHON"
  step attacks 110 "$python" -m pytest -q -p no:cacheprovider tests/exploits/test_triton_cumsum.py
  echo
  cat "$logs/calibration.log"
  echo
  printf '%-14s %-14s %s\n' step outcome seconds
  local failed=0
  for index in "${!names[@]}"; do
    printf '%-14s %-14s %s\n' "${names[$index]}" "${outcomes[$index]}" "${seconds[$index]}"
    [ "${outcomes[$index]}" = ok ] || failed=1
  done
  for index in "${!names[@]}"; do
    [ "${outcomes[$index]}" = ok ] || { echo "--- ${names[$index]}"; tail -n 40 "$logs/${names[$index]// /-}.log"; }
  done
  return $failed
}

case "${1:-check}" in
  pack) mkdir -p build && pack ;;
  check) check ;;
  *) echo "usage: tools/gpu_check.sh [pack]" >&2; exit 64 ;;
esac
