#!/bin/sh
# Installs aimock into the current folder.
set -eu
[ -x node_modules/.bin/llmock ] ||
  npm install --no-save --no-audit --no-fund --ignore-scripts --prefix . "@copilotkit/aimock@$VERSION"
