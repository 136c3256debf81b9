#!/bin/sh
# Installs mock-llm into the current folder.
set -eu
[ -x node_modules/.bin/mock-llm ] ||
  npm install --no-save --no-audit --no-fund --ignore-scripts --prefix . "@dwmkerr/mock-llm@$VERSION"
