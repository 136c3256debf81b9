#!/usr/bin/env bash
set -euo pipefail
[ -x venv/bin/python ] || python3 -m venv venv
venv/bin/pip install --quiet uv
VIRTUAL_ENV=$FOLDER/venv venv/bin/uv pip install --quiet "transformers[serving]==$VERSION" torch==2.13.0 gguf accelerate
HF_HUB_OFFLINE=1 venv/bin/python "$ROOT/results/recipes/models/to-hugging-face.py" "$ROOT/fixtures/tiny-model/svc-0.1-tiny.gguf" tiny
