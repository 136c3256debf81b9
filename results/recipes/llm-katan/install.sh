#!/bin/sh
# Installs LLM Katan into a virtual environment in the current folder.
set -eu
[ -x venv/bin/llm-katan ] && exit
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "llm-katan==$VERSION"
