#!/usr/bin/env bash
set -euo pipefail
export HF_HUB_OFFLINE=1 VLLM_CPU_KVCACHE_SPACE=2 VLLM_NO_USAGE_STATS=1
exec "$FOLDER/venv/bin/vllm" serve "$FOLDER/smol" --served-model-name smol --max-model-len 2048 --enforce-eager \
  --enable-auto-tool-choice --tool-call-parser hermes --host 127.0.0.1 --port "$PORT" --api-key "$KEY"
