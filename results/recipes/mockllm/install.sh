#!/bin/sh
# Installs mockllm into a virtual environment in the current folder.
set -eu
[ -x venv/bin/uvicorn ] && exit
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "mockllm==$VERSION"
