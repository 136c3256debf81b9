#!/bin/sh
# Serves LiteLLM's proxy on 127.0.0.1:$PORT before the echo model of a reference server, which it starts on a free port.
set -eu
export DASHBOARD_PASSWORD=recipe-of-litellm DATA_DIR="$FOLDER/data" RATE_LIMIT_REQUESTS=1000000000 LLAMA_TINY=off
node "$ROOT/server/main.js" --host 127.0.0.1 --port 0 >echo.txt 2>echo.log &
trap 'kill $(jobs -p); wait' EXIT
trap 'exit 0' INT TERM
until export DASHBOARD_URL="$(grep --only-matching --max-count=1 'http://[0-9.:]*' echo.txt)" && [ -n "$DASHBOARD_URL" ]; do sleep 0.2; done
key=$(node "$ROOT/server/dashboard/key-command.ts" create | sed 's/.*"secret":"\([^"]*\)".*/\1/')

export ECHO_BASE="$DASHBOARD_URL/v1" ECHO_KEY="$key" MASTER_KEY="$KEY" LITELLM_LOCAL_MODEL_COST_MAP=True
venv/bin/litellm --config "$ROOT/results/recipes/litellm-proxy/config.yaml" --host 127.0.0.1 --port "$PORT" --telemetry False &
wait $!
