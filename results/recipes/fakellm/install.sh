#!/bin/sh
# Installs fakellm into a virtual environment in the current folder.
set -eu
[ -x venv/bin/fakellm ] && exit
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "fakellm==$VERSION"
