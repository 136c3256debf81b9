#!/usr/bin/env bash
# Installs MLflow's AI Gateway. The package `mlflow` has all of its code; `mlflow-skinny` and `mlflow-tracing` repeat parts of
# it, and a registry may lack their newest version. Those of 3.17.2 bring the packages that it depends on, and are removed.
set -euo pipefail
[ -x venv/bin/mlflow ] && exit
[ -x venv/bin/pip ] || python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check uv
export VIRTUAL_ENV=$FOLDER/venv
printf 'mlflow-skinny==3.17.2\nmlflow-tracing==3.17.2\n' >over.txt
venv/bin/uv pip install --quiet --override over.txt "mlflow[gateway]==$VERSION"
venv/bin/uv pip uninstall --quiet mlflow-skinny mlflow-tracing
venv/bin/uv pip install --quiet --reinstall-package mlflow --no-deps "mlflow==$VERSION"
