#!/usr/bin/env bash
set -euo pipefail
exec "$FOLDER/build/bin/llama-server" --model "$FOLDER/SmolLM2-135M-Instruct.Q4_1.gguf" --alias smol \
  --chat-template-file "$ROOT/results/recipes/models/chat-template.jinja" --jinja \
  --ctx-size 8192 --parallel 4 --host 127.0.0.1 --port "$PORT" --api-key "$KEY"
