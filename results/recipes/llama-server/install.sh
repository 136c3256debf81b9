#!/usr/bin/env bash
# Builds llama-server from the source bundle in the npm package node-llama-cpp.
set -euo pipefail
case $VERSION in
  0.4.0) package=node-llama-cpp@3.21.1 ;;
  *) echo "no version of node-llama-cpp is known to carry llama.cpp $VERSION" >&2; exit 1 ;;
esac
[ -x build/bin/llama-server ] && exit
npm pack --silent "$package" >/dev/null
tar xzf node-llama-cpp-*.tgz package/llama/gitRelease.bundle
[ -d source ] || git clone --quiet package/llama/gitRelease.bundle source
cmake -S source -B build -DCMAKE_BUILD_TYPE=Release -DGGML_OPENMP=ON -DLLAMA_CURL=OFF \
  -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
cmake --build build --target llama-server -j 2
