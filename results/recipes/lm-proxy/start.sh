#!/bin/sh
exec venv/bin/lm-proxy --config "$ROOT/results/recipes/lm-proxy/config.toml" --env ''
