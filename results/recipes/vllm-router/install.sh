#!/bin/sh
# Installs vLLM's router into a virtual environment in the current folder.
set -eu
[ -x venv/bin/vllm-router ] && exit
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "vllm-router==$VERSION"
