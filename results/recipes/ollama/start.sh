#!/usr/bin/env bash
# The model is made once, by a server that ends again; the models stay in FOLDER.
set -euo pipefail
export OLLAMA_HOST=127.0.0.1:$PORT OLLAMA_MODELS=$FOLDER/models OLLAMA_NUM_PARALLEL=2 OLLAMA_CONTEXT_LENGTH=2048
if [ ! -d "$OLLAMA_MODELS/manifests" ]; then
  "$FOLDER/bin/ollama" serve 2>"$FOLDER/create.log" &
  until "$FOLDER/bin/ollama" list >/dev/null 2>&1; do sleep 0.2; done
  cp "$ROOT/results/recipes/ollama/Modelfile" "$FOLDER"
  "$FOLDER/bin/ollama" create smol -f "$FOLDER/Modelfile"
  kill $!
  wait $! || true
fi
exec "$FOLDER/bin/ollama" serve
