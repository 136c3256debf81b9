#!/usr/bin/env bash
set -euo pipefail
exec "$FOLDER/build/bin/llama-server" --model "$ROOT/fixtures/tiny-model/svc-0.1-tiny.gguf" --alias tiny \
  --chat-template-file "$ROOT/results/recipes/models/chat-template.jinja" --jinja --threads 1 --threads-batch 1 \
  --ctx-size 32768 --parallel 4 --host 127.0.0.1 --port "$PORT" --api-key "$KEY"
