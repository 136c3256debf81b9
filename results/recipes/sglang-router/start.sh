#!/bin/sh
exec venv/bin/python -m sglang_router.launch_router --host 127.0.0.1 --port "$PORT" --backend openai --worker-urls "${UPSTREAM%/v1}" \
  --disable-retries --disable-circuit-breaker --health-check-endpoint /v1/models --request-timeout-secs 5 --prometheus-host 127.0.0.1
