#!/bin/sh
# Installs LiteLLM's proxy into a virtual environment in the current folder.
set -eu
[ -x venv/bin/litellm ] && exit
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "litellm[proxy]==$VERSION" prisma
