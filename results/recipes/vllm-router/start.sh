#!/bin/sh
exec venv/bin/vllm-router --host 127.0.0.1 --port "$PORT" --worker-urls "${UPSTREAM%/v1}" --health-check-endpoint /v1/models \
  --disable-circuit-breaker --request-timeout-secs 5 --api-key "$UPSTREAM_KEY" --prometheus-host 127.0.0.1
