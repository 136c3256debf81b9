#!/bin/sh
exec venv/bin/llmock serve --host 127.0.0.1 --port "$PORT" --response-style echo
