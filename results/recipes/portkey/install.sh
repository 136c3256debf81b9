#!/bin/sh
# Installs Portkey's gateway into the current folder.
set -eu
[ -d node_modules/@portkey-ai/gateway ] ||
  npm install --no-save --no-audit --no-fund --ignore-scripts --prefix . "@portkey-ai/gateway@$VERSION"
