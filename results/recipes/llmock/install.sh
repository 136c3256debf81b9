#!/bin/sh
# Installs LLMock into a virtual environment in the current folder.
set -eu
[ -x venv/bin/llmock ] && exit
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "llmock==$VERSION"
