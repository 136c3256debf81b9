#!/bin/sh
rm -f gateway.db
venv/bin/python "$ROOT/results/recipes/any-llm-gateway/add_key.py" && exec venv/bin/any-llm-gateway serve --config "$ROOT/results/recipes/any-llm-gateway/config.yaml"
