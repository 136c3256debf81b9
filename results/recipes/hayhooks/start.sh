#!/bin/sh
exec venv/bin/hayhooks run --host 127.0.0.1 --port "$PORT" --pipelines-dir "$ROOT/results/recipes/hayhooks/pipelines"
