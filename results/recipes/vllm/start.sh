#!/usr/bin/env bash
set -euo pipefail
export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 VLLM_CPU_KVCACHE_SPACE=2 VLLM_NO_USAGE_STATS=1 VLLM_ENGINE_READY_TIMEOUT_S=3600
exec "$FOLDER/venv/bin/vllm" serve "$FOLDER/tiny" --served-model-name tiny --max-model-len 2048 --enforce-eager \
  --enable-auto-tool-choice --tool-call-parser hermes --host 127.0.0.1 --port "$PORT" --api-key "$KEY"
