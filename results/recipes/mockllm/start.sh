#!/bin/sh
# Gives one answer to every prompt on 127.0.0.1:$PORT. mockllm reads responses.yml in its current folder.
set -eu
cp "$ROOT/results/recipes/mockllm/responses.yml" .
exec venv/bin/uvicorn mockllm.server:app --host 127.0.0.1 --port "$PORT"
