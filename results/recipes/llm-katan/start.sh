#!/bin/sh
exec venv/bin/llm-katan --model echo --backend echo --host 127.0.0.1 --port "$PORT" \
  --validate-keys --api-keys "openai=$KEY" --stats-file "$FOLDER/stats.json"
