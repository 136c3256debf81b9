#!/bin/sh
# Gives every prompt the default fallback, on 127.0.0.1:$PORT.
set -eu
printf 'version: 1\nrules: []\n' >fakellm.yaml
exec venv/bin/fakellm serve --host 127.0.0.1 --port "$PORT"
