#!/usr/bin/env bash
# Builds Ollama from its Go module. The module's zip lacks the folder vendor/ of llama.cpp: node-llama-cpp carries its headers.
set -euo pipefail
[ -x bin/ollama ] && exit
npm pack --silent node-llama-cpp@3.21.1 >/dev/null
tar xzf node-llama-cpp-*.tgz package/llama/gitRelease.bundle
[ -d source ] || git clone --quiet package/llama/gitRelease.bundle source
CPATH=$FOLDER/source/vendor GOBIN=$FOLDER/bin GOFLAGS='-buildvcs=false -p=2' \
  go install "github.com/ollama/ollama@v$VERSION"
