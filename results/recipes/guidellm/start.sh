#!/bin/sh
# Answers with random words and without latency, on 127.0.0.1:$PORT.
exec venv/bin/guidellm mock-server --host 127.0.0.1 --port "$PORT" --request-latency 0 --ttft-ms 0 --itl-ms 0 --output-tokens 64
