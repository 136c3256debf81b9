#!/usr/bin/env bash
# The list of models is that of the cache, which has to exist.
set -euo pipefail
export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 HF_HOME=$FOLDER/cache
mkdir -p "$HF_HOME/hub"
cd "$FOLDER"
exec venv/bin/mlx_lm.server --model tiny --host 127.0.0.1 --port "$PORT"
