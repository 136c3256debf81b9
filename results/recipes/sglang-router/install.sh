#!/bin/sh
# Installs SGLang's router into a virtual environment in the current folder.
set -eu
venv/bin/python -c 'import sglang_router' 2>/dev/null && exit
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "sglang-router==$VERSION"
