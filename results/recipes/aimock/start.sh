#!/bin/sh
# Serves the fixtures beside this file on 127.0.0.1:$PORT.
set -eu
export AIMOCK_API_KEYS="$KEY"
exec node_modules/.bin/llmock --host 127.0.0.1 --port "$PORT" --fixtures "$ROOT/results/recipes/aimock/fixtures.json"
