#!/bin/sh
# Serves the model beside this file on 127.0.0.1:$PORT.
exec venv/bin/python "$ROOT/results/recipes/litserve/server.py"
