#!/bin/sh
# Serves the fixtures beside this file on 127.0.0.1:$PORT.
exec venv/bin/stubllm serve --host 127.0.0.1 --port "$PORT" --fixture-file "$ROOT/results/recipes/stubllm/fixtures.yaml"
