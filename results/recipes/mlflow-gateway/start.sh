#!/bin/sh
# It resolves `$NAME` in keys alone.
mkdir -p config
sed "s|\$UPSTREAM\$|$UPSTREAM|" "$ROOT/results/recipes/mlflow-gateway/config.yaml" >config/config.yaml
export MLFLOW_DISABLE_TELEMETRY=true MLFLOW_GATEWAY_ROUTE_TIMEOUT_SECONDS=100
exec venv/bin/mlflow gateway start --config-path config/config.yaml --host 127.0.0.1 --port "$PORT"
