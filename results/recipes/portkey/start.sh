#!/bin/sh
exec node --import "$ROOT/results/recipes/portkey/preload.mjs" node_modules/@portkey-ai/gateway/build/start-server.js \
  --port="$PORT" --headless
