#!/bin/sh
export MASTER_KEY="$KEY" LITELLM_LOCAL_MODEL_COST_MAP=True
exec venv/bin/litellm --config "$ROOT/results/recipes/litellm-gateway/config.yaml" --host 127.0.0.1 --port "$PORT" --telemetry False
