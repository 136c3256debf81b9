#!/bin/sh
# Serves the default template, which repeats the last message, on 127.0.0.1:$PORT.
set -eu
export HOST=127.0.0.1
exec node_modules/.bin/mock-llm
