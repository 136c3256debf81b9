#!/usr/bin/env bash
# The model is made once, by a server on the next port that ends again; it stays in FOLDER.
set -euo pipefail
export OLLAMA_HOST=127.0.0.1:$((PORT + 1)) OLLAMA_MODELS=$FOLDER/models OLLAMA_NUM_PARALLEL=2 OLLAMA_CONTEXT_LENGTH=2048
if [ ! -d "$OLLAMA_MODELS/manifests" ]; then
  "$FOLDER/bin/ollama" serve 2>"$FOLDER/create.log" &
  until "$FOLDER/bin/ollama" list >/dev/null 2>&1; do sleep 0.2; done
  { echo "FROM $ROOT/fixtures/tiny-model/svc-0.1-tiny.gguf"; cat "$ROOT/results/recipes/ollama/Modelfile"; } >Modelfile
  "$FOLDER/bin/ollama" create tiny -f Modelfile
  kill $!
  wait $! || true
fi
OLLAMA_HOST=127.0.0.1:$PORT exec "$FOLDER/bin/ollama" serve
