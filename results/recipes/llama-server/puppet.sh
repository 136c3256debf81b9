#!/usr/bin/env bash
set -euo pipefail
exec "$FOLDER/build/bin/llama-server" --model "$PUPPETS/$PUPPET.gguf" --alias "$PUPPET" --jinja --threads 1 \
  --threads-batch 1 --ctx-size 65536 --parallel 4 --host 127.0.0.1 --port "$PORT" --api-key "$KEY"
