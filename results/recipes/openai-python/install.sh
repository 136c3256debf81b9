#!/bin/sh
# Installs what the program in fixtures/clients/openai-python needs.
exec "$ROOT/fixtures/clients/install.sh" openai-python
